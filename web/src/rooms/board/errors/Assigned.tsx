import { useQuery } from "@tanstack/react-query";

import { sessionsQuery } from "@/api/board";
import { answer, rest } from "@/api/client";
import type { FailureView } from "@/api/schema";
import { Card } from "@/components/Card";
import { Select } from "@/components/Field";

import { agentName } from "../agents";
import { useDoing } from "../useDoing";

/** Which agent looks into it. */
export function Assigned({ failure }: { failure: FailureView }) {
  const sessions = (useQuery(sessionsQuery()).data ?? []).filter(
    ({ project_id }) => project_id === failure.project_id,
  );
  const assign = useDoing((session_id: string | null) =>
    answer(
      rest.POST("/api/board/failures/{failure_id}/assign", {
        params: { path: { failure_id: failure.id } },
        body: { session_id },
      }),
    ),
  );
  const assigned = failure.assigned_session_id;
  const isGone = assigned !== null && !sessions.some(({ id }) => id === assigned);
  return (
    <Card title="Assigned to">
      <Select
        label="Agent"
        disabled={assign.isPending}
        hint={sessions.length === 0 && "No agent is working in this project now."}
        value={assigned ?? ""}
        options={[
          ["", "Nobody"],
          ...(isGone ? [[assigned, "An agent that has left"] as const] : []),
          ...sessions.map(({ id, type }) => [id, agentName(type, id)] as const),
        ]}
        onChange={(event) => assign.mutate(event.target.value || null)}
      />
    </Card>
  );
}
