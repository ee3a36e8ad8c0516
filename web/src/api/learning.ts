import { queryOptions } from "@tanstack/react-query";

import { answer, rest } from "./client";
import type { Period } from "./schema";

/** Everything that a session or a kata may change begins with this. */
export const LEARNING = ["learning"] as const;

export const dashboardQuery = (period: Period) =>
  queryOptions({
    queryKey: [...LEARNING, "dashboard", period],
    queryFn: () => answer(rest.GET("/api/coach/dashboard", { params: { query: { statsPeriod: period } } })),
  });

export const radarQuery = queryOptions({
  queryKey: [...LEARNING, "radar"],
  queryFn: () => answer(rest.GET("/api/coach/dashboard/dreyfus")),
});

export const gapsQuery = queryOptions({
  queryKey: [...LEARNING, "gaps"],
  queryFn: () => answer(rest.GET("/api/coach/gaps")),
});

export const katasQuery = queryOptions({
  queryKey: [...LEARNING, "katas"],
  queryFn: () => answer(rest.GET("/api/coach/katas")),
});

export const kataQuery = (id: string) =>
  queryOptions({
    queryKey: [...LEARNING, "katas", id],
    queryFn: () => answer(rest.GET("/api/coach/katas/{id}", { params: { path: { id } } })),
  });

export const sessionsQuery = (limit: number) =>
  queryOptions({
    queryKey: [...LEARNING, "sessions", limit],
    queryFn: () => answer(rest.GET("/api/coach/sessions", { params: { query: { limit } } })),
  });

export const timelineQuery = (session_id: string) =>
  queryOptions({
    queryKey: [...LEARNING, "session", session_id, "timeline"],
    queryFn: () =>
      answer(rest.GET("/api/coach/sessions/{session_id}/timeline", { params: { path: { session_id } } })),
  });
