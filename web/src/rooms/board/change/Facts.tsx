import type { ReactNode } from "react";

import { type ChangeRef, editChange } from "@/api/changes";
import type { ChangeView } from "@/api/schema";
import { Select } from "@/components/Field";
import { Time } from "@/components/Time";
import { toast, toastError } from "@/components/Toasts";

import { Holder } from "./Holder";
import { isAtWork, isEditable } from "./lifecycle";
import { PRIORITIES } from "./priorities";
import { useChangeMutation } from "./useChange";

type Props = { at: ChangeRef; change: ChangeView };

/** Urgency, dates, and who works on it. */
export function Facts({ at, change }: Props) {
  return (
    <div className="flex flex-wrap items-start gap-x-8 gap-y-3">
      <Priority at={at} change={change} />
      <dl className="flex min-w-0 flex-1 basis-72 flex-wrap gap-x-8 gap-y-3 text-sm">
        <Fact name="Tasks">
          {change.tasks_done} of {change.tasks_total} done
        </Fact>
        <Fact name="Written">
          <Time at={change.created_at} />
        </Fact>
        {change.approved_at && (
          <Fact name="Approved">
            <Time at={change.approved_at} />
          </Fact>
        )}
        {change.completed_at && (
          <Fact name="Finished">
            <Time at={change.completed_at} />
          </Fact>
        )}
        {change.assigned_session_id && (
          <Fact name={isAtWork(change) ? "Works on it" : "Worked on by"}>
            <Holder session={change.assigned_session_id} isHeld={isAtWork(change)} />
          </Fact>
        )}
        {change.result && <Fact name="What the agent says">{change.result}</Fact>}
      </dl>
    </div>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-muted">{name}</dt>
      <dd className="break-words">{children}</dd>
    </div>
  );
}

function Priority({ at, change }: Props) {
  const set = useChangeMutation(
    at,
    (priority: number) => editChange(at, { priority }),
    (saved) => saved.change,
  );

  function choose(priority: number) {
    const before = change.priority;
    set.mutate(priority, {
      onSuccess: () => toast(`Priority ${priority}.`, () => set.mutate(before, { onError: toastError })),
      onError: toastError,
    });
  }

  return (
    <Select
      label="Priority"
      className="w-40"
      value={String(set.isPending ? set.variables : change.priority)}
      disabled={!isEditable(change) || set.isPending}
      options={PRIORITIES}
      onChange={({ target }) => choose(Number(target.value))}
    />
  );
}
