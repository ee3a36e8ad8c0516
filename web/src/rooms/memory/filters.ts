import type { MemoryFilter } from "@/api/memories";
import type { Importance, Scope, SessionKind } from "@/api/schema";

/** What the address of the page says. */
export type MemorySearch = {
  q?: string;
  /** By the words of `q`, unless it says by meaning. */
  by?: "meaning";
  project?: string;
  scope?: Extract<Scope, "personal" | "project">;
  importance?: Importance;
  room?: SessionKind;
  session?: string;
  tag?: string;
  forgotten?: true;
  /** The one that is being corrected. */
  edit?: string;
  /** The form for a new one is open. */
  add?: true;
};

export function readSearch(raw: Record<string, unknown>): MemorySearch {
  // What is not valid is said to be undefined: left out, the router would keep it.
  return {
    q: text(raw.q),
    by: raw.by === "meaning" ? "meaning" : undefined,
    project: text(raw.project),
    scope: oneOf(raw.scope, ["personal", "project"]),
    importance: oneOf(raw.importance, ["high", "medium", "low"]),
    room: oneOf(raw.room, ["coaching", "agent", "assistant", "research"]),
    session: text(raw.session),
    tag: text(raw.tag),
    forgotten: raw.forgotten === true ? true : undefined,
    edit: text(raw.edit),
    add: raw.add === true ? true : undefined,
  };
}

/** A number in an address is read as one; somebody may well search for 42. */
function text(value: unknown): string | undefined {
  return typeof value === "string" || typeof value === "number" ? String(value) || undefined : undefined;
}

function oneOf<T extends string>(value: unknown, known: readonly T[]): T | undefined {
  return known.find((each) => each === value);
}

export function asFilter({ q, project, scope, importance, room, session, tag, forgotten }: MemorySearch) {
  const filter: MemoryFilter = {
    query: q,
    project,
    scope,
    importance,
    room,
    session_id: session,
    tag,
    forgotten,
  };
  return filter;
}

const NARROWING = ["q", "project", "scope", "importance", "room", "session", "tag"] as const;

export function isNarrowed(search: MemorySearch): boolean {
  return NARROWING.some((name) => search[name] !== undefined);
}
