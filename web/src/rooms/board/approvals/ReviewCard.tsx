import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { decide, decisionQuery } from "@/api/board";
import type { ChangeSummary } from "@/api/schema";
import { Button } from "@/components/Button";
import { Notice } from "@/components/States";
import { plural } from "@/lib/words";

import { useDoing } from "../useDoing";
import { CardHead } from "./CardHead";
import { Excerpt } from "./Excerpt";
import { ReasonDialog } from "./ReasonDialog";

/** Work that an agent calls finished. */
export function ReviewCard({ change }: { change: ChangeSummary }) {
  const [isSendingBack, setIsSendingBack] = useState(false);
  const proposal = useQuery(decisionQuery(change)).data?.change.proposal_content;
  const confirm = useDoing(decide.confirm, { done: ({ title }) => `Confirmed: “${title}” is applied.` });
  const open = change.tasks_total - change.tasks_done;
  return (
    <article aria-label={change.title} className="rounded-lg border bg-surface p-4">
      <CardHead change={change} />
      <div className="space-y-2">
        {change.result ? (
          <Excerpt text={change.result} />
        ) : (
          <p className="text-sm text-muted">The agent left no report of what it did.</p>
        )}
        {open > 0 && <Notice tone="warn">{plural(open, "task is", "tasks are")} not ticked.</Notice>}
        {proposal && (
          <details className="text-sm">
            <summary className="text-muted">What was asked for</summary>
            <div className="mt-2">
              <Excerpt text={proposal} />
            </div>
          </details>
        )}
      </div>
      <div className="mt-3 flex flex-wrap gap-2">
        <Button kind="primary" isBusy={confirm.isPending} onClick={() => confirm.mutate(change)}>
          Confirm
        </Button>
        <Button onClick={() => setIsSendingBack(true)}>Send back…</Button>
      </div>
      <ReasonDialog
        title={`Send “${change.title}” back`}
        lead="It goes into the queue again, and the next agent sees what you write here."
        label="What is missing"
        action="Send back"
        done={`“${change.title}” is in the queue again.`}
        draftKey={`send back ${change.project_id} ${change.id}`}
        isOpen={isSendingBack}
        onClose={() => setIsSendingBack(false)}
        send={(notes) => decide.sendBack(change, notes)}
      />
    </article>
  );
}
