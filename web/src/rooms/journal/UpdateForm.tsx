import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { FormEvent } from "react";

import { answer, rest } from "@/api/client";
import { JOURNAL } from "@/api/journal";
import type { Active, Strategy, UpdateInput } from "@/api/schema";
import { Button } from "@/components/Button";
import { Select, TextArea } from "@/components/Field";
import { Problem } from "@/components/States";
import { toast } from "@/components/Toasts";
import { useKept } from "@/lib/kept";

import { options, STRATEGIES } from "./words";

/** Learned something on the way: what stood before is kept as an earlier attempt. */
export function UpdateForm({ entry, onDone }: { entry: Active; onDone: () => void }) {
  const queries = useQueryClient();
  const first: UpdateInput = {
    hypothesis: entry.hypothesis,
    action: entry.action,
    prediction: entry.prediction,
    strategy: entry.strategy,
    note: null,
  };
  const [draft, keep, drop] = useKept(`journal.update.${entry.id}`, first);
  const change = (part: Partial<UpdateInput>) => keep({ ...draft, ...part });
  const update = useMutation({
    mutationFn: () =>
      answer(rest.PATCH("/api/journal/active", { body: { ...draft, note: draft.note || null } })),
    onSuccess: () => {
      drop();
      void queries.invalidateQueries({ queryKey: JOURNAL });
      toast("Changed; what stood before is kept.");
      onDone();
    },
  });

  function submit(event: FormEvent) {
    event.preventDefault();
    update.mutate();
  }

  const texts = [
    ["hypothesis", "Hypothesis"],
    ["action", "Action"],
    ["prediction", "Prediction"],
  ] as const;
  return (
    <form onSubmit={submit} className="mt-4 space-y-4 border-t pt-4">
      {texts.map(([name, label]) => (
        <TextArea
          key={name}
          label={label}
          required
          rows={2}
          value={draft[name] ?? ""}
          onChange={(event) => change({ [name]: event.target.value })}
        />
      ))}
      <div className="grid gap-4 md:grid-cols-2">
        <Select
          label="Strategy"
          options={options(STRATEGIES)}
          value={draft.strategy ?? "systematic-elimination"}
          onChange={(event) => change({ strategy: event.target.value as Strategy })}
        />
        <TextArea
          label="Why it changed"
          hint="Optional."
          rows={1}
          value={draft.note ?? ""}
          onChange={(event) => change({ note: event.target.value })}
        />
      </div>
      {update.error && <Problem error={update.error} />}
      <div className="flex gap-2">
        <Button kind="primary" type="submit" isBusy={update.isPending}>
          Save the change
        </Button>
        <Button onClick={onDone}>Close</Button>
      </div>
    </form>
  );
}
