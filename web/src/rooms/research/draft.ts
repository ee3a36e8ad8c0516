import { useState } from "react";

/** What somebody writes, kept in this browser until the server took it. */
export function useDraft(name: string, first = "") {
  const key = `bottega.draft.research.${name}`;
  const [text, setText] = useState(() => localStorage.getItem(key) ?? first);

  function write(next: string) {
    setText(next);
    if (next) localStorage.setItem(key, next);
    else localStorage.removeItem(key);
  }

  return [text, write] as const;
}
