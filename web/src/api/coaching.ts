import { queryOptions } from "@tanstack/react-query";

import { answer, rest } from "./client";
import type { HintLevel, PhaseStatus, StartSession } from "./schema";

/** Everything that the coach's desk asks for over HTTP; what happens there comes over the socket. */

export const coachIssuesQuery = queryOptions({
  queryKey: ["coach", "issues"],
  queryFn: () => answer(rest.GET("/api/coach/issues")),
});

/** How well each issue fits this person. With a model this takes a while, so it comes on its own. */
export const issueFitQuery = queryOptions({
  queryKey: ["coach", "issues", "fit"],
  queryFn: () => answer(rest.GET("/api/coach/dashboard/issues")),
  staleTime: 60_000,
  retry: false,
});

export const recentSessionsQuery = queryOptions({
  queryKey: ["coach", "sessions", "recent"],
  queryFn: () => answer(rest.GET("/api/coach/sessions", { params: { query: { limit: 12 } } })),
});

export function sessionReportQuery(id: string) {
  return queryOptions({
    queryKey: ["coach", "sessions", id, "report"],
    queryFn: () =>
      answer(rest.GET("/api/coach/sessions/{session_id}/report", { params: { path: { session_id: id } } })),
  });
}

export const readDesk = () => answer(rest.GET("/api/coach/desk"));

export const readFile = (path: string) =>
  answer(rest.GET("/api/coach/files", { params: { query: { path } } }));

export const startSession = (asked: StartSession) =>
  answer(rest.POST("/api/coach/sessions", { body: asked }));

export const resumeSession = (id: string) =>
  answer(rest.POST("/api/coach/sessions/{id}/resume", { params: { path: { id } } }));

export const endSession = () => answer(rest.POST("/api/coach/session/end", { body: {} }));

export const draftPlan = () => answer(rest.POST("/api/coach/plan/draft"));

export const submitPlan = (planText: string) => answer(rest.POST("/api/coach/plan", { body: { planText } }));

export const movePhase = ({ number, status }: { number: number; status: PhaseStatus }) =>
  answer(rest.POST("/api/coach/phases/{number}", { params: { path: { number } }, body: { status } }));

export const chooseHintLevel = (level: HintLevel) =>
  answer(rest.PUT("/api/coach/hints", { body: { level } }));

export const muteObserver = (muted: boolean) =>
  answer(rest.POST("/api/coach/observer/mute", { body: { muted } }));
