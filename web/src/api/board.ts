import { infiniteQueryOptions, type QueryKey, queryOptions } from "@tanstack/react-query";

import { answer, rest } from "./client";
import type { BoardTier, ChangeStatus, FailureSummary, paths, WorkItem } from "./schema";

/** Everything on the board: events make all of it asked for again. */
export const boardKey = ["board"] as const;
export const agentsKey = [...boardKey, "agents"] as const;

type Query<P extends keyof paths> = paths[P] extends { get: { parameters: { query?: infer Q } } }
  ? Omit<NonNullable<Q>, "limit" | "offset">
  : never;

export type WorkWanted = Query<"/api/board/work">;
export type FailuresWanted = Query<"/api/board/failures">;
export type KnowledgeWanted = Omit<Query<"/api/board/knowledge">, "after" | "tier"> & { tier: BoardTier };

/** Rows in one answer of a long list. */
export const PAGE = 100;

export type Rows<T> = { rows: readonly T[]; total: number };
export type RowsQuery<T> = { queryKey: QueryKey; queryFn: () => Promise<Rows<T>> };

const at = (page: number) => ({ limit: PAGE, offset: page * PAGE });

export const workQuery = (wanted: WorkWanted, page: number): RowsQuery<WorkItem> => ({
  queryKey: [...boardKey, "work", wanted, page],
  queryFn: async () => {
    const query = { ...wanted, ...at(page) };
    const { items, total } = await answer(rest.GET("/api/board/work", { params: { query } }));
    return { rows: items, total };
  },
});

export const failuresQuery = (wanted: FailuresWanted, page: number): RowsQuery<FailureSummary> => ({
  queryKey: [...boardKey, "failures", wanted, page],
  queryFn: async () => {
    const query = { ...wanted, ...at(page) };
    const { failures, total } = await answer(rest.GET("/api/board/failures", { params: { query } }));
    return { rows: failures, total };
  },
});

export const failureQuery = (id: string) =>
  queryOptions({
    queryKey: [...boardKey, "failure", id],
    queryFn: () =>
      answer(rest.GET("/api/board/failures/{failure_id}", { params: { path: { failure_id: id } } })),
  });

export const agreementQuery = (project?: string) =>
  queryOptions({
    queryKey: [...boardKey, "agreement", project],
    queryFn: () =>
      answer(rest.GET("/api/board/failures/agreement", { params: { query: { project_id: project } } })),
  });

export const statsQuery = (project?: string) =>
  queryOptions({
    queryKey: [...boardKey, "stats", project],
    queryFn: () => answer(rest.GET("/api/board/stats", { params: { query: { project_id: project } } })),
  });

/** Changes in one state, the most urgent first. */
export const changesQuery = (status: ChangeStatus, project?: string) =>
  queryOptions({
    queryKey: [...boardKey, "changes", status, project],
    queryFn: async () => {
      const query = { status: [status], project_id: project };
      return (await answer(rest.GET("/api/board/changes", { params: { query } }))).changes;
    },
  });

type Named = { id: string; project_id: string };

const named = ({ id, project_id }: Named) => ({ path: { id }, query: { project_id } });

/** A change with all that a person needs to decide on it. */
export const decisionQuery = (change: Named) =>
  queryOptions({
    queryKey: [...boardKey, "decision", change.project_id, change.id],
    queryFn: async () => {
      const params = named(change);
      const [whole, validation, { overlaps }] = await Promise.all([
        answer(rest.GET("/api/board/changes/{id}", { params })),
        answer(rest.GET("/api/board/changes/{id}/validation", { params })),
        answer(rest.GET("/api/board/changes/{id}/overlaps", { params })),
      ]);
      return { change: whole, validation, overlaps };
    },
  });

/** What a person decides about a change. */
export const decide = {
  approve: (change: Named, notes?: string) =>
    answer(rest.POST("/api/board/changes/{id}/approve", { params: named(change), body: { notes } })),
  takeBack: (change: Named) =>
    answer(rest.POST("/api/board/changes/{id}/take_back", { params: named(change), body: {} })),
  reject: (change: Named, reason: string) =>
    answer(rest.POST("/api/board/changes/{id}/reject", { params: named(change), body: { reason } })),
  sendBack: (change: Named, notes: string) =>
    answer(rest.POST("/api/board/changes/{id}/send_back", { params: named(change), body: { notes } })),
  confirm: (change: Named) =>
    answer(rest.POST("/api/board/changes/{id}/apply", { params: named(change), body: {} })),
};

export const questionsQuery = (project?: string) =>
  queryOptions({
    queryKey: [...boardKey, "questions", project],
    queryFn: async () => {
      const query = { open: true, project_id: project };
      return (await answer(rest.GET("/api/board/clarifications", { params: { query } }))).clarifications;
    },
  });

export const agentsQuery = queryOptions({
  queryKey: agentsKey,
  queryFn: () => answer(rest.GET("/api/board/agents")),
});

export const agentQuery = (id: string) =>
  queryOptions({
    queryKey: [...agentsKey, id],
    queryFn: () =>
      answer(rest.GET("/api/board/agents/{session_id}", { params: { path: { session_id: id } } })),
  });

export const metricsQuery = queryOptions({
  queryKey: [...agentsKey, "metrics"],
  queryFn: () => answer(rest.GET("/api/board/agents/metrics")),
});

export const timelineQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: [...agentsKey, id, "timeline"],
    queryFn: ({ pageParam }) =>
      answer(
        rest.GET("/api/board/agents/{session_id}/activity", {
          params: { path: { session_id: id }, query: { before: pageParam, limit: PAGE } },
        }),
      ),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: (page) => page.next,
  });

/** Live ones, or with those that are over. */
export const sessionsQuery = (isLiveOnly = true) =>
  queryOptions({
    queryKey: [...boardKey, "sessions", isLiveOnly],
    queryFn: async () => {
      const query = { live_only: isLiveOnly };
      return (await answer(rest.GET("/api/board/sessions", { params: { query } }))).sessions;
    },
  });

export const knowledgeQuery = (wanted: KnowledgeWanted) =>
  infiniteQueryOptions({
    queryKey: [...boardKey, "knowledge", wanted],
    queryFn: ({ pageParam }) =>
      answer(
        rest.GET("/api/board/knowledge", { params: { query: { ...wanted, after: pageParam, limit: PAGE } } }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next,
  });

/** A report as its program wrote it: JUnit's XML, or Playwright's JSON. */
export function sendReport(project: string, report: Blob) {
  return answer(
    rest.POST("/api/board/reports", {
      params: { query: { project_id: project } },
      headers: { "Content-Type": report.type || "application/octet-stream" },
      body: report as never, // sent as it is: a large one is not read here
      bodySerializer: (body) => body,
    }),
  );
}
