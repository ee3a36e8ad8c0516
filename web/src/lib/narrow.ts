import { useSyncExternalStore } from "react";

const narrow = matchMedia("(max-width: 767px)");

/** Whether there is room for one pane only. */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(
    (changed) => {
      narrow.addEventListener("change", changed);
      return () => narrow.removeEventListener("change", changed);
    },
    () => narrow.matches,
  );
}
