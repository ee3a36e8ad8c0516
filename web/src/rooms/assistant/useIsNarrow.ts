import { useSyncExternalStore } from "react";

const narrow = matchMedia("(max-width: 1023px)");

function watch(watcher: () => void): () => void {
  narrow.addEventListener("change", watcher);
  return () => narrow.removeEventListener("change", watcher);
}

/** Whether three panes would be too many beside each other. */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(watch, () => narrow.matches);
}
