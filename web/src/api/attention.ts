import { queryOptions } from "@tanstack/react-query";

import { answer, rest } from "./client";

export const ATTENTION = ["attention"] as const;

/** What each room has waiting for a person. */
export const waiting = {
  changes: () =>
    answer(rest.GET("/api/board/changes", { params: { query: { status: ["proposing", "review"] } } })),
  questions: () => answer(rest.GET("/api/board/clarifications", { params: { query: { open: true } } })),
  failures: () =>
    answer(
      rest.GET("/api/board/failures", {
        params: { query: { status: "failing", decision: "pending", limit: 20 } },
      }),
    ),
  research: () => answer(rest.GET("/api/research/runs", { params: { query: { status: "paused" } } })),
  requests: () => answer(rest.GET("/api/research/requests", { params: { query: { open_only: true } } })),
  runs: () => answer(rest.GET("/api/runs", { params: { query: { status: "paused" } } })),
  active: () => answer(rest.GET("/api/journal/active")),
  orphans: () => answer(rest.GET("/api/journal/orphans")),
};

/** Whether somebody has been in each room: its first thing, if there is one. */
export const beginnings = {
  coach: queryOptions({
    queryKey: ["beginnings", "coach"],
    queryFn: () => answer(rest.GET("/api/coach/sessions", { params: { query: { limit: 1 } } })),
    select: ({ sessions }) => sessions.length > 0,
  }),
  board: queryOptions({
    queryKey: ["beginnings", "board"],
    queryFn: () => answer(rest.GET("/api/projects")),
    select: ({ projects }) => projects.length > 0,
  }),
  research: queryOptions({
    queryKey: ["beginnings", "research"],
    queryFn: () => answer(rest.GET("/api/research/runs", { params: { query: { limit: 1 } } })),
    select: ({ runs }) => runs.length > 0,
  }),
  assistant: queryOptions({
    queryKey: ["beginnings", "assistant"],
    queryFn: () => answer(rest.GET("/api/assistant/sessions", { params: { query: { limit: 1 } } })),
    select: ({ sessions }) => sessions.length > 0,
  }),
  journal: queryOptions({
    queryKey: ["beginnings", "journal"],
    queryFn: () => answer(rest.GET("/api/journal/entries", { params: { query: { limit: 1 } } })),
    select: ({ count }) => count > 0,
  }),
};
