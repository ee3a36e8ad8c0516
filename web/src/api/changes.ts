import { type QueryKey, queryOptions } from "@tanstack/react-query";

import { answer, rest } from "./client";
import type {
  AgentType,
  Approval,
  BoardSessionView,
  ChangeEdit,
  Completing,
  MaybeNote,
  Note,
  ProposalInput,
  Rejection,
  Releasing,
  Ticks,
} from "./schema";

/** A change by its id; without a project only where no other project has that id. */
export type ChangeRef = { id: string; project?: string };

function place({ id, project }: ChangeRef) {
  return { path: { id }, query: { project_id: project } };
}

/** Everything about one change lies below this key. */
export function changeKey({ id, project }: ChangeRef): QueryKey {
  return ["change", id, project ?? null];
}

export function changeQuery(ref: ChangeRef) {
  return queryOptions({
    queryKey: [...changeKey(ref), "change"],
    queryFn: () => answer(rest.GET("/api/board/changes/{id}", { params: place(ref) })),
  });
}

export function historyQuery(ref: ChangeRef) {
  return queryOptions({
    queryKey: [...changeKey(ref), "history"],
    queryFn: () => answer(rest.GET("/api/board/changes/{id}/history", { params: place(ref) })),
  });
}

export function revisionsQuery(ref: ChangeRef) {
  return queryOptions({
    queryKey: [...changeKey(ref), "revisions"],
    queryFn: () => answer(rest.GET("/api/board/changes/{id}/revisions", { params: place(ref) })),
  });
}

export function validationQuery(ref: ChangeRef) {
  return queryOptions({
    queryKey: [...changeKey(ref), "validation"],
    queryFn: () => answer(rest.GET("/api/board/changes/{id}/validation", { params: place(ref) })),
  });
}

export function overlapsQuery(ref: ChangeRef) {
  return queryOptions({
    queryKey: [...changeKey(ref), "overlaps"],
    queryFn: () => answer(rest.GET("/api/board/changes/{id}/overlaps", { params: place(ref) })),
  });
}

/** What an agent of that type would be told. */
export function contextQuery(project_id: string, change_id: string, agent_type: AgentType) {
  return queryOptions({
    queryKey: ["change", change_id, project_id, "context", agent_type],
    queryFn: () =>
      answer(
        rest.GET("/api/board/knowledge/context", {
          params: { query: { project_id, change_id, agent_type } },
        }),
      ),
  });
}

/** The failure that a change is to mend, with its error; null if it is not known any more. */
export function failureOfQuery(project_id: string, fingerprint: string) {
  return queryOptions({
    queryKey: ["failure-of-change", project_id, fingerprint],
    queryFn: async () => {
      const query = { project_id, fingerprint, limit: 1 };
      const { failures } = await answer(rest.GET("/api/board/failures", { params: { query } }));
      const found = failures[0];
      if (!found) return null;
      const path = { failure_id: found.id };
      return answer(rest.GET("/api/board/failures/{failure_id}", { params: { path } }));
    },
  });
}

/** The session that holds a change. */
export function holderQuery(session_id: string) {
  return queryOptions({
    queryKey: ["change-holder", session_id],
    queryFn: () => answer(rest.GET("/api/board/sessions/{session_id}", { params: { path: { session_id } } })),
    refetchInterval: 30_000,
  });
}

/** Changes of a project that are not put away yet. */
export function openChangesQuery(project_id: string) {
  return queryOptions({
    queryKey: ["open-changes", project_id],
    queryFn: async () => {
      const query = { project_id };
      const { changes } = await answer(rest.GET("/api/board/changes", { params: { query } }));
      return changes.filter(({ status, missing_since }) => status !== "archived" && missing_since === null);
    },
    enabled: project_id !== "",
  });
}

export const proposeChange = (body: ProposalInput) => answer(rest.POST("/api/board/changes", { body }));

export const editChange = (ref: ChangeRef, body: ChangeEdit) =>
  answer(rest.PUT("/api/board/changes/{id}", { params: place(ref), body }));

export const tickTasks = (ref: ChangeRef, body: Ticks) =>
  answer(rest.PUT("/api/board/changes/{id}/tasks", { params: place(ref), body }));

export const dismissConflict = (ref: ChangeRef) =>
  answer(rest.POST("/api/board/changes/{id}/dismiss", { params: place(ref) }));

export function restoreRevision(ref: ChangeRef, revision_id: string) {
  const { path, query } = place(ref);
  return answer(
    rest.POST("/api/board/changes/{id}/revisions/{revision_id}/restore", {
      params: { path: { ...path, revision_id }, query },
    }),
  );
}

export const approveChange = (ref: ChangeRef, body: Approval = {}) =>
  answer(rest.POST("/api/board/changes/{id}/approve", { params: place(ref), body }));

export const takeBackChange = (ref: ChangeRef, body: MaybeNote = {}) =>
  answer(rest.POST("/api/board/changes/{id}/take_back", { params: place(ref), body }));

export const rejectChange = (ref: ChangeRef, body: Rejection) =>
  answer(rest.POST("/api/board/changes/{id}/reject", { params: place(ref), body }));

export const sendBackChange = (ref: ChangeRef, body: Note) =>
  answer(rest.POST("/api/board/changes/{id}/send_back", { params: place(ref), body }));

export const applyChange = (ref: ChangeRef, body: MaybeNote = {}) =>
  answer(rest.POST("/api/board/changes/{id}/apply", { params: place(ref), body }));

export const archiveChange = (ref: ChangeRef, body: MaybeNote = {}) =>
  answer(rest.POST("/api/board/changes/{id}/archive", { params: place(ref), body }));

/** Who works on a change by hand, not as an agent: a session of its own for each change. */
const byHand = (id: string) => `by hand: ${id}`;

export function isByHand(session: BoardSessionView, change_id: string): boolean {
  return session.type === "manual" && session.client_session_id === byHand(change_id);
}

/** Claim this very change; the server's reason is thrown if it cannot be had. */
export async function takeOn({ id }: ChangeRef, project_id: string): Promise<void> {
  const body = { project_id, type: "manual", client_session_id: byHand(id) } as const;
  const session = await answer(rest.POST("/api/board/sessions", { body: { ...body, metadata: {} } }));
  const claim = { session_id: session.id, change_id: id };
  const { work, reason } = await answer(rest.POST("/api/board/queue/next", { body: claim }));
  if (work === null) throw new Error(reason);
}

export function stayAt(session_id: string) {
  return answer(
    rest.POST("/api/board/sessions/{session_id}/heartbeat", { params: { path: { session_id } } }),
  );
}

export function finishWork(change_id: string, body: Completing) {
  return answer(rest.POST("/api/board/work/{change_id}/complete", { params: { path: { change_id } }, body }));
}

export function giveBack(change_id: string, body: Releasing) {
  return answer(rest.POST("/api/board/work/{change_id}/release", { params: { path: { change_id } }, body }));
}
