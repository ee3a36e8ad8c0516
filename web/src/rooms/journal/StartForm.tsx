import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";

import { answer, rest } from "@/api/client";
import { JOURNAL } from "@/api/journal";
import type { JournalStarted, JournalStartInput } from "@/api/schema";
import { Button } from "@/components/Button";
import { Select, TextArea } from "@/components/Field";
import { Problem } from "@/components/States";
import { useKept } from "@/lib/kept";

import { ConfidenceField } from "./ConfidenceField";
import { Premortem } from "./Premortem";
import { DOMAINS, options, STRATEGIES } from "./words";

const EMPTY: JournalStartInput = {
  domain: "debugging",
  strategy: "systematic-elimination",
  goal: "",
  hypothesis: "",
  action: "",
  prediction: "",
  confidence: null,
};

const TEXTS = [
  ["goal", "Goal", "What should be true in the end."],
  ["hypothesis", "Hypothesis", "What you believe, and why."],
  ["action", "Action", "What you are going to do about it."],
  ["prediction", "Prediction", "What will be seen if the hypothesis is right; it must be able to fail."],
] as const;

/** What is believed before anything is done, so that it can turn out wrong. */
export function StartForm() {
  const queries = useQueryClient();
  const [draft, keep, drop] = useKept("journal.start", EMPTY);
  const [started, setStarted] = useState<JournalStarted>();
  const start = useMutation({
    mutationFn: () => answer(rest.POST("/api/journal/entries", { body: draft })),
    onSuccess: (entry) => {
      setStarted(entry);
      drop();
      void queries.invalidateQueries({ queryKey: JOURNAL });
    },
  });
  const change = (part: Partial<JournalStartInput>) => keep({ ...draft, ...part });

  function submit(event: FormEvent) {
    event.preventDefault();
    start.mutate();
  }

  if (started) return <Premortem started={started} />;
  return (
    <form onSubmit={submit} className="space-y-4">
      {TEXTS.map(([name, label, hint]) => (
        <TextArea
          key={name}
          label={label}
          hint={hint}
          required
          rows={2}
          value={draft[name]}
          onChange={(event) => change({ [name]: event.target.value })}
        />
      ))}
      <div className="grid gap-4 md:grid-cols-2">
        <Select
          label="What kind of work"
          options={options(DOMAINS)}
          value={draft.domain}
          onChange={(event) => change({ domain: event.target.value as JournalStartInput["domain"] })}
        />
        <Select
          label="Strategy"
          options={options(STRATEGIES)}
          value={draft.strategy}
          onChange={(event) => change({ strategy: event.target.value as JournalStartInput["strategy"] })}
        />
      </div>
      <ConfidenceField value={draft.confidence ?? null} onChange={(confidence) => change({ confidence })} />
      {start.error && <Problem error={start.error} />}
      <Button kind="primary" type="submit" isBusy={start.isPending}>
        Write it down
      </Button>
    </form>
  );
}
