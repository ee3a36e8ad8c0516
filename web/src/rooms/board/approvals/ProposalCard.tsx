import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { decide, decisionQuery } from "@/api/board";
import type { ChangeSummary } from "@/api/schema";
import { Button } from "@/components/Button";
import { WhenReady } from "@/components/States";

import { useDoing } from "../useDoing";
import { CardHead } from "./CardHead";
import { Excerpt } from "./Excerpt";
import { InTheWay } from "./InTheWay";
import { ReasonDialog } from "./ReasonDialog";

/** A proposal with what it takes to decide on it. */
export function ProposalCard({ change }: { change: ChangeSummary }) {
  const [isRejecting, setIsRejecting] = useState(false);
  const whole = useQuery(decisionQuery(change));
  const takeBack = useDoing(decide.takeBack, { done: ({ title }) => `“${title}” is a proposal again.` });
  const approve = useDoing(decide.approve, {
    done: ({ title }) => `Approved: “${title}” waits in the queue.`,
    undo: (approved) => () => takeBack.mutate(approved),
  });
  return (
    <article aria-label={change.title} className="rounded-lg border bg-surface p-4">
      <CardHead change={change} />
      <WhenReady query={whole}>
        {({ change: { proposal_content }, validation, overlaps }) => (
          <div className="space-y-2">
            <Excerpt text={proposal_content} />
            <InTheWay validation={validation} overlaps={overlaps} />
          </div>
        )}
      </WhenReady>
      <div className="mt-3 flex flex-wrap gap-2">
        <Button
          kind="primary"
          isBusy={approve.isPending}
          disabled={whole.data?.validation.valid === false}
          onClick={() => approve.mutate(change)}
        >
          Approve
        </Button>
        <Button onClick={() => setIsRejecting(true)}>Reject…</Button>
      </div>
      <ReasonDialog
        title={`Reject “${change.title}”`}
        lead="It is archived with your reason; the specs stay as they are."
        label="Why not"
        action="Reject"
        done={`Rejected: “${change.title}”.`}
        draftKey={`reject ${change.project_id} ${change.id}`}
        isOpen={isRejecting}
        onClose={() => setIsRejecting(false)}
        send={(reason) => decide.reject(change, reason)}
      />
    </article>
  );
}
