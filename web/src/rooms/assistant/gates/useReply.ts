import { useMutation } from "@tanstack/react-query";

import { answer, rest } from "@/api/client";
import type { Gate, GateReply } from "@/api/schema";
import { forgetKept } from "@/lib/kept";

export type GateProps = {
  gate: Gate;
  /** Names what is written here, until it is taken. */
  draftKey: string;
  send: (reply: GateReply) => void;
  isBusy: boolean;
};

/** Sent once: whoever clicks again while it is on its way, or before the page has heard, sends nothing. */
export function useReply(sessionId: string, draftKey: string) {
  const reply = useMutation({
    mutationFn: (body: GateReply) =>
      answer(
        rest.POST("/api/assistant/sessions/{session_id}/reply", {
          params: { path: { session_id: sessionId } },
          body,
        }),
      ),
    onSuccess: () => forgetKept(draftKey),
  });
  const isBusy = reply.isPending || reply.isSuccess;
  return {
    send: (body: GateReply) => !isBusy && reply.mutate(body),
    isBusy,
    error: reply.error,
  };
}
