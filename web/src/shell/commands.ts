import { useEffect, useSyncExternalStore } from "react";

export type Command = { name: string; about?: string; run: () => void };

let groups: readonly { title: string; commands: readonly Command[] }[] = [];
const watchers = new Set<() => void>();

function change(next: typeof groups) {
  groups = next;
  for (const watcher of watchers) watcher();
}

/** Put a page's own actions into the palette while it is shown. Keep the list stable with `useMemo`. */
export function useCommands(title: string, commands: readonly Command[]): void {
  useEffect(() => {
    const group = { title, commands };
    change([...groups, group]);
    return () => change(groups.filter((each) => each !== group));
  }, [title, commands]);
}

export function useCommandGroups() {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => groups,
  );
}
