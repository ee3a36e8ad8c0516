import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";

import { answer, rest } from "@/api/client";
import { LEARNING } from "@/api/learning";
import type { StartSession } from "@/api/schema";
import type { Tone } from "@/components/Badge";
import { toastError } from "@/components/Toasts";

/** Begin work, and go to the desk. A session that is under way is set aside by the server. */
export function useStart() {
  const toTheDesk = useToTheDesk();
  return useMutation({
    mutationFn: (body: StartSession) => answer(rest.POST("/api/coach/sessions", { body })),
    onSuccess: toTheDesk,
    onError: toastError,
  });
}

/** Go on with a session that is under way or was set aside. */
export function useResume() {
  const toTheDesk = useToTheDesk();
  return useMutation({
    mutationFn: (id: string) =>
      answer(rest.POST("/api/coach/sessions/{id}/resume", { params: { path: { id } } })),
    onSuccess: toTheDesk,
    onError: toastError,
  });
}

function useToTheDesk() {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return async () => {
    void queries.invalidateQueries({ queryKey: LEARNING });
    await navigate({ to: "/coach" });
  };
}

type Named = { issueNumber: number | null; issueTitle: string | null };

export function titleOf({ issueNumber, issueTitle }: Named): string {
  const title = issueTitle ?? "A session without a title";
  return issueNumber === null ? title : `#${issueNumber} ${title}`;
}

const STATUSES: Record<string, [Tone, string]> = {
  active: ["accent", "under way"],
  idle: ["accent", "under way"],
  inactive: ["accent", "under way"],
  completed: ["good", "completed"],
  abandoned: ["warn", "set aside"],
  ended: ["neutral", "ended"],
};

export function statusWords(status: string): [Tone, string] {
  return STATUSES[status] ?? ["neutral", status];
}

export function canGoOn(status: string): boolean {
  return status !== "completed";
}
