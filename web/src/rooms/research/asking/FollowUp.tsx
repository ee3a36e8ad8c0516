import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";

import { RESEARCH, startResearch } from "@/api/research";
import type { RunState } from "@/api/schema";
import { CheckBox } from "@/components/Field";
import { useKept } from "@/lib/kept";

import { Composer } from "../Composer";
import { useSingle } from "@/lib/single";

/** The next question about an answer: what was cited before is known, and not fetched again. */
export function FollowUp({ run }: { run: RunState }) {
  const [text, setText] = useKept(
    `research.follow-up.${run.id}`,
    run.answer_status === "refused" ? run.question : "",
  );
  const [autoProceed, setAutoProceed] = useState(false);
  const navigate = useNavigate();
  const queries = useQueryClient();

  const asking = useSingle({
    mutationFn: () =>
      startResearch({
        question: text,
        library: run.library,
        agent: run.agent,
        depth: run.depth,
        auto_proceed: autoProceed,
        follow_up_of: run.id,
        session_id: run.session_id,
      }),
    onSuccess: (next) => {
      setText("");
      void queries.invalidateQueries({ queryKey: RESEARCH });
      void navigate({ to: "/research/runs/$id", params: { id: next.id } });
    },
  });

  return (
    <Composer
      label="Your next question"
      hint="It knows what was found and cited here."
      action="Ask further"
      text={text}
      onText={setText}
      onSend={() => asking.send()}
      isBusy={asking.isPending}
      error={asking.error}
    >
      <CheckBox
        label="Do not stop to ask me"
        checked={autoProceed}
        onChange={(event) => setAutoProceed(event.target.checked)}
      />
    </Composer>
  );
}
