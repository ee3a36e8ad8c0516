import { queryOptions } from "@tanstack/react-query";

import { answer, rest } from "./client";
import type { RunStatus } from "./schema";

export const healthQuery = queryOptions({
  queryKey: ["health"],
  queryFn: () => answer(rest.GET("/health")),
  refetchInterval: 15_000,
});

export const settingsQuery = queryOptions({
  queryKey: ["settings"],
  queryFn: () => answer(rest.GET("/api/settings")),
  staleTime: Number.POSITIVE_INFINITY, // set when the server starts
});

export const RUNS = ["runs"] as const;

export function runsQuery(status: RunStatus) {
  return queryOptions({
    queryKey: [...RUNS, status],
    queryFn: () => answer(rest.GET("/api/runs", { params: { query: { status } } })),
  });
}

/** What moves a run from one status to another; runs tell of much more. */
export const RUN_MOVES = [
  "run.queued",
  "run.started",
  "run.paused",
  "run.replied",
  "run.expired",
  "run.completed",
  "run.failed",
  "run.cancelled",
] as const;

/** The branches of the event log that people want to read; the rest is for machines. */
export const ACTIVITY_TOPICS = [
  "agents.*",
  "errors.*",
  "journal.*",
  "library.*",
  "memory.*",
  "research.*",
  "session.*",
  "specs.*",
  "work.*",
  ...RUN_MOVES,
] as const;

export const eventsQuery = queryOptions({
  queryKey: ["events"],
  queryFn: () =>
    answer(
      rest.GET("/api/events/log", { params: { query: { topics: ACTIVITY_TOPICS.join(","), limit: 30 } } }),
    ),
});

export async function signOut(): Promise<void> {
  await answer(rest.POST("/api/logout"));
  location.assign("/");
}
