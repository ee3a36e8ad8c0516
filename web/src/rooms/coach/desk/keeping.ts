import { useState } from "react";

import type { DeskState, TalkItem } from "./state";

/** What this window keeps over a reload: words that are not handed in yet, and the conversation. */

const TALK = "coach.talk";

export function keepTalk({ session, talk }: DeskState): void {
  if (session) sessionStorage.setItem(TALK, JSON.stringify({ session: session.id, talk }));
}

export function keptTalk(session: string | undefined): readonly TalkItem[] {
  const kept = JSON.parse(sessionStorage.getItem(TALK) ?? "null") as {
    session: string;
    talk: readonly TalkItem[];
  } | null;
  return kept && kept.session === session ? kept.talk : [];
}

/** State that survives a reload of the window, under a key of its own. */
export function useKept<T>(key: string, first: T): [T, (value: T) => void] {
  const [value, setValue] = useState<T>(() => {
    const kept = sessionStorage.getItem(key);
    return kept === null ? first : (JSON.parse(kept) as T);
  });
  return [
    value,
    (next) => {
      setValue(next);
      sessionStorage.setItem(key, JSON.stringify(next));
    },
  ];
}
