import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo, useState } from "react";

import type { ChangeRef } from "@/api/changes";
import type { ChangeView } from "@/api/schema";
import { projectQuery } from "@/api/projects";
import { Button } from "@/components/Button";
import { Card } from "@/components/Card";
import { Notice, Problem } from "@/components/States";
import { toast, toastError } from "@/components/Toasts";
import { useCommands } from "@/shell/commands";

import { ByHand } from "./ByHand";
import { DecisionDialog } from "./DecisionDialog";
import { type Decision, decisionsOf } from "./decisions";
import { InTheWay } from "./InTheWay";
import { useChangeMutation } from "./useChange";

type Asked = { decision: Decision; note: string };
type Props = { at: ChangeRef; change: ChangeView };

/** What a person can decide now, and what comes of it. */
export function WhatNext({ at, change }: Props) {
  const decisions = useMemo(() => decisionsOf(change), [change]);
  const [asking, setAsking] = useState<Decision | null>(null);
  const [note, setNote] = useState("");
  const decide = useChangeMutation(
    at,
    ({ decision, note }: Asked) => decision.decide(at, note),
    (moved) => moved,
  );
  const undo = useChangeMutation(
    at,
    (decision: Decision) => decision.undo!(at),
    (moved) => moved,
  );

  function take(decision: Decision) {
    decide.mutate(
      { decision, note: note.trim() },
      {
        onSuccess: () => {
          setAsking(null);
          setNote("");
          const back = decision.undo && (() => undo.mutate(decision, { onError: toastError }));
          toast(decision.done, back);
        },
      },
    );
  }

  function choose(decision: Decision) {
    decide.reset();
    if (decision.note) setAsking(decision);
    else take(decision);
  }

  const commands = useMemo(
    () =>
      decisions.map((decision) => ({
        name: `${decision.name} this change`,
        about: decision.does,
        run: () => choose(decision),
      })),
    [decisions],
  );
  useCommands("This change", commands);

  return (
    <Card title="Next step">
      <div className="space-y-3">
        {change.status === "proposing" && <InTheWay at={at} />}
        {change.status === "applied" && <NeedsOpenSpec project={change.project_id} />}
        <div className="grid gap-x-8 gap-y-3 lg:grid-cols-2">
          {decisions.map((decision) => (
            <div key={decision.name} className="flex flex-wrap items-center gap-x-3 gap-y-1 sm:flex-nowrap">
              <Button
                kind={decision.kind}
                className="min-w-24 shrink-0"
                isBusy={decide.isPending && decide.variables.decision.name === decision.name}
                disabled={decide.isPending}
                onClick={() => choose(decision)}
              >
                {decision.name}
              </Button>
              <p className="text-sm text-muted">{decision.does}</p>
            </div>
          ))}
        </div>
        <ByHand
          at={at}
          change={change}
          otherwise={decisions.length === 0 && <NothingToDecide change={change} />}
        />
        {decide.error && !asking && <Problem error={decide.error} />}
      </div>
      {asking && (
        <DecisionDialog
          decision={asking}
          note={note}
          onNote={setNote}
          isBusy={decide.isPending}
          error={decide.error}
          onDecide={() => take(asking)}
          onClose={() => setAsking(null)}
        />
      )}
    </Card>
  );
}

function NothingToDecide({ change }: { change: ChangeView }) {
  if (change.status === "archived") {
    const where = change.archive_name ? ` as ${change.archive_name}` : "";
    return <p className="text-sm text-muted">It is put away{where}. It can be read, not changed.</p>;
  }
  return (
    <p className="text-sm text-muted">
      An agent has it. It comes back to you when its last task is ticked.{" "}
      {change.assigned_session_id && (
        <Link
          to="/board/sessions/$id"
          params={{ id: change.assigned_session_id }}
          className="text-accent underline underline-offset-2"
        >
          See what the agent does
        </Link>
      )}
    </p>
  );
}

function NeedsOpenSpec({ project }: { project: string }) {
  const { data } = useQuery(projectQuery(project));
  if (!data || data.openspec_installed) return null;
  return (
    <Notice tone="warn">Archiving needs the OpenSpec program, which is not installed. {data.note}</Notice>
  );
}
