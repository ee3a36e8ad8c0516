import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { FormEvent, KeyboardEvent } from "react";

import { sessionKey } from "@/api/assistant";
import { answer, rest } from "@/api/client";
import { Button } from "@/components/Button";
import { TextArea } from "@/components/Field";
import { Problem } from "@/components/States";
import { useKept } from "@/lib/kept";

/** The next thing to say; while a turn is under way it can be written, not sent. */
export function Composer({ sessionId, isFree }: { sessionId: string; isFree: boolean }) {
  const [text, setText, forget] = useKept(`assistant.say.${sessionId}`, "");
  const queries = useQueryClient();
  const canSend = isFree && text.trim() !== "";

  const say = useMutation({
    mutationFn: () =>
      answer(
        rest.POST("/api/assistant/sessions/{session_id}/messages", {
          params: { path: { session_id: sessionId } },
          body: { text },
        }),
      ),
    onSuccess: async () => {
      forget();
      await queries.invalidateQueries({ queryKey: sessionKey(sessionId) });
    },
  });

  function submit(event: FormEvent | KeyboardEvent) {
    event.preventDefault();
    if (canSend && !say.isPending) say.mutate();
  }

  return (
    <form onSubmit={submit} className="sticky bottom-0 space-y-2 border-t bg-canvas pt-3 pb-1">
      {say.error && <Problem error={say.error} />}
      <div className="flex items-end gap-2">
        <TextArea
          label="Continue the conversation"
          isLabelHidden
          placeholder={
            isFree
              ? "Ask for a change, or for the next thing…"
              : "It is at work; you can write the next thing meanwhile."
          }
          rows={2}
          className="grow"
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit(event);
          }}
        />
        <Button kind="primary" type="submit" isBusy={say.isPending} disabled={!canSend} title="Ctrl Enter">
          Send
        </Button>
      </div>
    </form>
  );
}
