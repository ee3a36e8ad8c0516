import type { SpanKind } from "@/api/schema";
import type { TraceFilters } from "@/api/traces";

export const KINDS = [
  "model",
  "tool",
  "hook",
  "memory",
  "retrieval",
  "run",
  "request",
] as const satisfies readonly SpanKind[];

export const OUTCOMES = ["ok", "error"] as const;

/** What the address says of the list. */
export type TraceSearch = {
  q?: string;
  room?: string;
  kind?: SpanKind;
  status?: (typeof OUTCOMES)[number];
  run?: string;
  session?: string;
};

export function toFilters({ q, run, session, ...rest }: TraceSearch): TraceFilters {
  return { ...rest, search: q, run_id: run, session_id: session };
}

export function isFiltered(search: TraceSearch): boolean {
  return Object.values(search).some((value) => value !== undefined);
}
