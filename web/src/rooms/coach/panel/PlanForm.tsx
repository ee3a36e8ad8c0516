import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";

import { draftPlan, submitPlan } from "@/api/coaching";
import { Button } from "@/components/Button";
import { TextArea } from "@/components/Field";
import { Notice, Problem } from "@/components/States";
import { useKept } from "@/lib/kept";

type Props = { session: string; onDone?: () => void };

/** A plan in one's own words, or drafted and then edited; the coach cuts it into phases. */
export function PlanForm({ session, onDone }: Props) {
  const [text, setText] = useKept(`coach.plan.${session}`, "");
  const [isOffline, setOffline] = useState(false);
  const draft = useMutation({
    mutationFn: draftPlan,
    onSuccess: ({ planText, offline }) => {
      setText(planText);
      setOffline(offline);
    },
  });
  const submit = useMutation({ mutationFn: submitPlan, onSuccess: onDone });

  function submitted(event: FormEvent) {
    event.preventDefault();
    if (text.trim() && !submit.isPending) submit.mutate(text);
  }

  return (
    <form onSubmit={submitted} className="space-y-3">
      <TextArea
        label="Your plan"
        hint="A numbered list of steps; files that you name are hinted at later."
        rows={6}
        value={text}
        onChange={(event) => setText(event.target.value)}
        placeholder={"1. Reproduce the problem with a failing test.\n2. …"}
      />
      {isOffline && (
        <Notice>
          Drafted without a model, from the issue's words and the project's files. Change it as you like.
        </Notice>
      )}
      {draft.error && <Problem error={draft.error} />}
      {submit.error && <Problem error={submit.error} />}
      <div className="flex flex-wrap gap-2">
        <Button
          type="submit"
          kind={text.trim() ? "primary" : "plain"}
          disabled={!text.trim()}
          isBusy={submit.isPending}
        >
          Use this plan
        </Button>
        <Button
          kind={text.trim() ? "plain" : "primary"}
          isBusy={draft.isPending}
          onClick={() => draft.mutate()}
        >
          {text.trim() ? "Draft it anew" : "Draft a plan for me"}
        </Button>
        {onDone && (
          <Button kind="quiet" onClick={onDone}>
            Cancel
          </Button>
        )}
      </div>
    </form>
  );
}
