import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";

import { answer, rest } from "./client";
import type { paths } from "./schema";

type Query = NonNullable<paths["/api/traces"]["get"]["parameters"]["query"]>;

export type TraceFilters = Pick<Query, "kind" | "room" | "search" | "status" | "session_id" | "run_id">;

const PAGE = 100;

export const TRACES = ["traces"] as const;

/** Newest first, a page at a time. */
export function tracesQuery(filters: TraceFilters) {
  return infiniteQueryOptions({
    queryKey: [...TRACES, filters],
    queryFn: ({ pageParam }) =>
      answer(rest.GET("/api/traces", { params: { query: { ...filters, before: pageParam, limit: PAGE } } })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => (page.length === PAGE ? page.at(-1)?.started_at : undefined),
  });
}

export function traceQuery(id: string) {
  return queryOptions({
    queryKey: ["trace", id],
    queryFn: () => answer(rest.GET("/api/traces/{trace_id}", { params: { path: { trace_id: id } } })),
  });
}
