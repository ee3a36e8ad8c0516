import { keepPreviousData, queryOptions } from "@tanstack/react-query";

import { answer, rest } from "./client";
import type { ResearchRunView, ResearchStartInput, SessionChanges } from "./schema";

export const RESEARCH = ["research"] as const;

export const runsQuery = (session?: string) =>
  queryOptions({
    queryKey: [...RESEARCH, "runs", session ?? "all"],
    queryFn: async () => {
      const query = { session_id: session, limit: 500 };
      return (await answer(rest.GET("/api/research/runs", { params: { query } }))).runs;
    },
  });

export const runQuery = (id: string) =>
  queryOptions({
    queryKey: [...RESEARCH, "run", id],
    queryFn: () => answer(rest.GET("/api/research/runs/{run_id}", { params: { path: { run_id: id } } })),
  });

export const answerQuery = (id: string) =>
  queryOptions({
    queryKey: [...RESEARCH, "answer", id],
    queryFn: () =>
      answer(rest.GET("/api/research/runs/{run_id}/answer", { params: { path: { run_id: id } } })),
    staleTime: Number.POSITIVE_INFINITY,
  });

export type SessionFilters = {
  query?: string;
  status?: string;
  label?: string;
  archived?: boolean;
  limit?: number;
};

export const sessionsQuery = (filters: SessionFilters) =>
  queryOptions({
    queryKey: [...RESEARCH, "sessions", filters],
    queryFn: async () =>
      (await answer(rest.GET("/api/research/sessions", { params: { query: filters } }))).sessions,
    placeholderData: keepPreviousData,
  });

export const sessionQuery = (id: string) =>
  queryOptions({
    queryKey: [...RESEARCH, "session", id],
    queryFn: () =>
      answer(rest.GET("/api/research/sessions/{session_id}", { params: { path: { session_id: id } } })),
  });

/** The conversation; with `wait`, as soon as nothing is being worked on, or after so many seconds. */
export const messagesQuery = (session: string, wait = 0) =>
  queryOptions({
    queryKey: [...RESEARCH, "messages", session, wait],
    queryFn: async () => {
      const params = { path: { session_id: session }, query: { wait } };
      return (await answer(rest.GET("/api/research/sessions/{session_id}/messages", { params }))).messages;
    },
  });

export const vocabularyQuery = queryOptions({
  queryKey: [...RESEARCH, "vocabulary"],
  queryFn: () => answer(rest.GET("/api/research/vocabulary")),
  staleTime: 60_000,
});

export const requestsQuery = (session?: string) =>
  queryOptions({
    queryKey: [...RESEARCH, "requests", session ?? "all"],
    queryFn: async () => {
      const query = { session_id: session };
      return (await answer(rest.GET("/api/research/requests", { params: { query } }))).requests;
    },
  });

export const citedQuery = (name: string, identifier: string) =>
  queryOptions({
    queryKey: ["libraries", "paragraph", name, identifier],
    queryFn: () =>
      answer(
        rest.GET("/api/libraries/{name}/paragraph", { params: { path: { name }, query: { identifier } } }),
      ),
  });

export const startResearch = (order: ResearchStartInput): Promise<ResearchRunView> =>
  answer(rest.POST("/api/research/runs", { body: order }));

/** Comes back at once: what follows is seen in the run's events. */
export const replyToRun = (id: string, text: string) =>
  answer(
    rest.POST("/api/research/runs/{run_id}/messages", {
      params: { path: { run_id: id } },
      body: { text, wait: false },
    }),
  );

export const cancelRun = (id: string) =>
  answer(rest.POST("/api/research/runs/{run_id}/cancel", { params: { path: { run_id: id } } }));

export const changeSession = (id: string, changes: SessionChanges) =>
  answer(
    rest.PATCH("/api/research/sessions/{session_id}", {
      params: { path: { session_id: id } },
      body: changes,
    }),
  );

export const removeSession = (id: string) =>
  answer(rest.DELETE("/api/research/sessions/{session_id}", { params: { path: { session_id: id } } }));

export const sayInSession = (id: string, text: string) =>
  answer(
    rest.POST("/api/research/sessions/{session_id}/messages", {
      params: { path: { session_id: id } },
      body: { text, wait: false },
    }),
  );

export const exportAddress = (session: string) =>
  `/api/research/sessions/${encodeURIComponent(session)}/export`;

export const runEventsAddress = (id: string, after: number) =>
  `/api/research/runs/${encodeURIComponent(id)}/events?after=${after}`;
