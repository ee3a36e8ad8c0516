import { useMutation, useQueryClient } from "@tanstack/react-query";

import { isFinal, sessionsKey } from "@/api/assistant";
import { answer, rest } from "@/api/client";
import type { RunStatus } from "@/api/schema";
import { Confirm } from "@/components/Dialog";
import { Problem } from "@/components/States";
import { toast } from "@/components/Toasts";

type Props = {
  session: { id: string; title: string | null; turn: RunStatus | null };
  onClose: () => void;
  onDeleted?: () => void;
};

export function DeleteSession({ session, onClose, onDeleted }: Props) {
  const queries = useQueryClient();
  const isUnderWay = session.turn !== null && !isFinal(session.turn);

  const remove = useMutation({
    mutationFn: async () => {
      const params = { path: { session_id: session.id } };
      // The server does not delete what is still at work.
      if (isUnderWay) await answer(rest.POST("/api/assistant/sessions/{session_id}/cancel", { params }));
      return answer(rest.DELETE("/api/assistant/sessions/{session_id}", { params }));
    },
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: sessionsKey });
      toast(`“${session.title ?? "The session"}” is deleted.`);
      onClose();
      onDeleted?.();
    },
  });

  return (
    <Confirm
      title="Delete this session?"
      action="Delete"
      isOpen
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      <p>
        All that was said and decided in “{session.title}” goes for good.
        {isUnderWay && " Its open turn is stopped first."} Files that it saved and notes that you let it
        remember stay.
      </p>
      {remove.error && <Problem error={remove.error} />}
    </Confirm>
  );
}
