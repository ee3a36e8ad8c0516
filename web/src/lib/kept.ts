import { useState } from "react";

/** What was written and not sent yet, under a name: it outlives a reload, and a closed form. */
export function useKept<T>(name: string, first: T, store: Storage = sessionStorage) {
  const [value, setValue] = useState<T>(() => read<T>(store, name) ?? first);

  function keep(next: T) {
    setValue(next);
    store.setItem(name, JSON.stringify(next));
  }

  /** Taken by the server, or given up. */
  function drop(next: T = first) {
    setValue(next);
    store.removeItem(name);
  }

  return [value, keep, drop] as const;
}

function read<T>(store: Storage, name: string): T | undefined {
  const text = store.getItem(name);
  if (text === null) return undefined;
  try {
    return JSON.parse(text) as T;
  } catch {
    return undefined;
  }
}
