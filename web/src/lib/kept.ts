import { useState } from "react";

const PREFIX = "bottega.draft.";

/**
 * What somebody writes, kept in this browser under a name until the server took it: a reload, a
 * closed form or a refusal loses nothing. Returns the value, how to change it, and how to drop it.
 */
export function useKept<T>(name: string, first: T) {
  const [kept, setKept] = useState(() => ({ name, value: read(name, first) }));
  const value = kept.name === name ? kept.value : read(name, first);

  function keep(next: T) {
    const text = JSON.stringify(next);
    if (text === JSON.stringify(first)) localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, text);
    setKept({ name, value: next });
  }

  function drop(next: T = first) {
    localStorage.removeItem(PREFIX + name);
    setKept({ name, value: next });
  }

  return [value, keep, drop] as const;
}

function read<T>(name: string, first: T): T {
  const text = localStorage.getItem(PREFIX + name);
  if (text === null) return first;
  try {
    return JSON.parse(text) as T;
  } catch {
    return first;
  }
}

/** When they were taken: what is kept under this name, and under those that begin with it. */
export function forgetKept(name: string) {
  for (const key of Object.keys(localStorage)) {
    if (key.startsWith(PREFIX + name)) localStorage.removeItem(key);
  }
}
