import type { DeskState, TalkItem } from "./state";

/** The conversation, kept by this window over a reload. */

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
