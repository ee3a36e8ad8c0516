import { useState } from "react";

import { answer, rest } from "@/api/client";
import type { Decision, FailureView } from "@/api/schema";
import { Button } from "@/components/Button";
import { Card } from "@/components/Card";
import { Select, TextArea } from "@/components/Field";
import { percent } from "@/lib/words";

import { useDoing } from "../useDoing";

const MEANS: Record<Decision, string> = {
  pending: "Undecided: wait for more runs",
  needs_spec: "Needs a change",
  ignore: "Ignore it",
  one_off_fix: "Fixed in passing",
};
const PRIORITIES = [
  ["1", "1 · minor"],
  ["2", "2 · low"],
  ["3", "3 · normal"],
  ["4", "4 · high"],
  ["5", "5 · urgent"],
] as const;

/** What becomes of it: the rules' suggestion, and a person's word, which stands. */
export function TriageForm({ failure }: { failure: FailureView }) {
  const [decision, setDecision] = useState(failure.decision);
  const [priority, setPriority] = useState(failure.priority);
  const [reason, setReason] = useState("");
  const save = useDoing(
    () =>
      answer(
        rest.POST("/api/board/failures/{failure_id}/triage", {
          params: { path: { failure_id: failure.id } },
          body: { decision, priority, rationale: reason.trim() || undefined },
        }),
      ),
    { done: () => "Decided. The rules leave it alone from now on." },
  );
  return (
    <Card title="Decision" note={failure.person_decision ? "decided by a person" : "by the rules"}>
      <div className="mb-3 space-y-1 text-sm text-muted">
        {failure.rule_decision && (
          <p>
            The rules suggest: {MEANS[failure.rule_decision].toLowerCase()}
            {!failure.person_decision && `, ${percent(failure.confidence)} sure`}.
          </p>
        )}
        {failure.rationale && <p className="break-words">Reason: {failure.rationale}</p>}
      </div>
      <form
        className="space-y-3"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate(undefined, { onSuccess: () => setReason("") });
        }}
      >
        <Select
          label="Action"
          value={decision}
          options={(["pending", "needs_spec", "ignore"] as const).map((name) => [name, MEANS[name]] as const)}
          onChange={(event) => setDecision(event.target.value as Decision)}
        />
        <Select
          label="Priority"
          value={String(priority)}
          options={PRIORITIES}
          onChange={(event) => setPriority(Number(event.target.value))}
        />
        <TextArea
          label="Your reason"
          rows={2}
          value={reason}
          maxLength={5_000}
          placeholder="Optional, but your future self will thank you"
          onChange={(event) => setReason(event.target.value)}
        />
        <Button type="submit" isBusy={save.isPending}>
          Save decision
        </Button>
      </form>
    </Card>
  );
}
