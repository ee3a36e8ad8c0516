import { useState } from "react";

/** A person's words, kept until they were sent: a reload or a refusal loses nothing. */
export function useDraft(key: string): [string, (text: string) => void] {
  const place = `draft ${key}`;
  const [text, setText] = useState(() => sessionStorage.getItem(place) ?? "");

  function keep(next: string) {
    if (next) sessionStorage.setItem(place, next);
    else sessionStorage.removeItem(place);
    setText(next);
  }

  return [text, keep];
}
