import { useState } from "react";

const PREFIX = "assistant.draft.";

/** What somebody is writing, kept in this browser until the server took it. */
export function useDraft<T>(key: string, empty: T): [T, (value: T) => void, () => void] {
  const [draft, setDraft] = useState(() => ({ key, value: kept(key, empty) }));
  const value = draft.key === key ? draft.value : kept(key, empty);

  function change(next: T) {
    localStorage.setItem(PREFIX + key, JSON.stringify(next));
    setDraft({ key, value: next });
  }

  function forget() {
    localStorage.removeItem(PREFIX + key);
    setDraft({ key, value: empty });
  }

  return [value, change, forget];
}

function kept<T>(key: string, empty: T): T {
  const text = localStorage.getItem(PREFIX + key);
  if (text === null) return empty;
  try {
    return JSON.parse(text) as T;
  } catch {
    return empty;
  }
}

/** When they were taken: what is written under this name and under those that begin with it. */
export function forgetDrafts(name: string) {
  for (const key of Object.keys(localStorage)) {
    if (key.startsWith(PREFIX + name)) localStorage.removeItem(key);
  }
}
