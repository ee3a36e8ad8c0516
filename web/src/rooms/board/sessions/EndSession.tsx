import { useState } from "react";

import { answer, rest } from "@/api/client";
import type { AgentSummary } from "@/api/schema";
import { Button } from "@/components/Button";
import { Confirm } from "@/components/Dialog";

import { useDoing } from "../useDoing";

export function EndSession({ agent }: { agent: AgentSummary }) {
  const [isAsking, setIsAsking] = useState(false);
  const end = useDoing(
    () =>
      answer(
        rest.POST("/api/board/sessions/{session_id}/end", {
          params: { path: { session_id: agent.session_id } },
          body: { why: "A person ended the session." },
        }),
      ),
    { done: () => "The session is over." },
  );
  return (
    <>
      <Button kind="danger" onClick={() => setIsAsking(true)}>
        End session…
      </Button>
      <Confirm
        title="End this session?"
        action="End session"
        isOpen={isAsking}
        isBusy={end.isPending}
        onClose={() => setIsAsking(false)}
        onConfirm={() => end.mutate(undefined, { onSettled: () => setIsAsking(false) })}
      >
        {agent.working_on
          ? `“${agent.working_on.title}” goes back into the queue at once. What the agent still reports of it is refused.`
          : "It holds no work. If the agent goes on, it has to register again."}
      </Confirm>
    </>
  );
}
