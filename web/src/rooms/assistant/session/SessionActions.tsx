import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";

import { isFinal, sessionKey } from "@/api/assistant";
import { answer, rest } from "@/api/client";
import type { AssistantSessionView, TurnView } from "@/api/schema";
import { Button } from "@/components/Button";
import { toast, toastError } from "@/components/Toasts";
import { useCommands } from "@/shell/commands";

import { DeleteSession } from "../sessions/DeleteSession";

type Props = { session: AssistantSessionView; turn: TurnView | null };

export function SessionActions({ session, turn }: Props) {
  const [isDeleting, setDeleting] = useState(false);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const isUnderWay = turn !== null && !isFinal(turn.status);

  const cancel = useMutation({
    mutationFn: () =>
      answer(
        rest.POST("/api/assistant/sessions/{session_id}/cancel", {
          params: { path: { session_id: session.id } },
        }),
      ),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: sessionKey(session.id) });
      toast("The turn is stopped. What was said stays.");
    },
    onError: toastError,
  });

  const commands = useMemo(
    () => [
      ...(isUnderWay ? [{ name: "Stop this turn", run: () => cancel.mutate() }] : []),
      { name: "Delete this session", run: () => setDeleting(true) },
    ],
    [isUnderWay, cancel.mutate],
  );
  useCommands("This session", commands);

  return (
    <>
      {isUnderWay && (
        <Button isBusy={cancel.isPending} onClick={() => cancel.mutate()}>
          Stop this turn
        </Button>
      )}
      <Button kind="quiet" onClick={() => setDeleting(true)}>
        Delete
      </Button>
      {isDeleting && (
        <DeleteSession
          session={{ ...session, turn: turn?.status ?? null }}
          onClose={() => setDeleting(false)}
          onDeleted={() => void navigate({ to: "/assistant" })}
        />
      )}
    </>
  );
}
