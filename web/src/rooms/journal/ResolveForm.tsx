import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { FormEvent } from "react";

import { answer, rest } from "@/api/client";
import { JOURNAL } from "@/api/journal";
import type { JournalOutcome, RootCauseCategory } from "@/api/schema";
import { Button } from "@/components/Button";
import { Select, TextArea } from "@/components/Field";
import { Problem } from "@/components/States";
import { toast } from "@/components/Toasts";
import { useKept } from "@/lib/kept";

import { EMPTY_RESOLUTION, resolution } from "./resolution";
import { CAUSES, OUTCOMES, options } from "./words";

/** Outcome. A wrong prediction teaches most: it is asked why. */
export function ResolveForm({ entryId, onClose }: { entryId: string; onClose: () => void }) {
  const queries = useQueryClient();
  const [draft, keep, drop] = useKept(`journal.resolve.${entryId}`, EMPTY_RESOLUTION);
  const change = (part: Partial<typeof draft>) => keep({ ...draft, ...part });
  const resolve = useMutation({
    mutationFn: () => answer(rest.POST("/api/journal/active/resolve", { body: resolution(draft) })),
    onSuccess: ({ confidence_tier: tier }) => {
      drop();
      void queries.invalidateQueries({ queryKey: JOURNAL });
      toast(`Kept as an experience (${tier}).`);
    },
  });

  function submit(event: FormEvent) {
    event.preventDefault();
    resolve.mutate();
  }

  return (
    <form onSubmit={submit} className="mt-4 space-y-4 border-t pt-4">
      <fieldset>
        <legend className="mb-1 text-sm font-medium">The prediction</legend>
        <div className="flex flex-wrap gap-2">
          {(Object.keys(OUTCOMES) as JournalOutcome[]).map((status) => (
            <label
              key={status}
              className="flex items-center gap-2 rounded-md border px-3 py-1.5 text-sm has-checked:border-accent has-checked:bg-accent-soft"
            >
              <input
                type="radio"
                name="status"
                className="accent-(--accent)"
                checked={draft.status === status}
                onChange={() => change({ status })}
              />
              {OUTCOMES[status].word}
            </label>
          ))}
        </div>
      </fieldset>
      <TextArea
        label="What happened"
        required
        rows={2}
        value={draft.result}
        onChange={(event) => change({ result: event.target.value })}
      />
      {draft.status === "falsified" && (
        <>
          <TextArea
            label="What was surprising"
            required
            rows={2}
            value={draft.surprise}
            onChange={(event) => change({ surprise: event.target.value })}
          />
          <div className="grid gap-4 md:grid-cols-[16rem_1fr]">
            <Select
              label="Why it was wrong"
              options={options(CAUSES)}
              value={draft.cause}
              onChange={(event) => change({ cause: event.target.value as RootCauseCategory })}
            />
            <TextArea
              label="In a sentence"
              required
              rows={1}
              value={draft.because}
              onChange={(event) => change({ because: event.target.value })}
            />
          </div>
        </>
      )}
      {draft.status !== "abandoned" && (
        <div className="grid gap-4 md:grid-cols-2">
          <TextArea
            label="What worked"
            hint="Optional; it is shown for later tasks."
            rows={2}
            value={draft.whatWorked}
            onChange={(event) => change({ whatWorked: event.target.value })}
          />
          <TextArea
            label="Takeaway"
            hint="Optional: the rule behind it."
            rows={2}
            value={draft.takeaway}
            onChange={(event) => change({ takeaway: event.target.value })}
          />
        </div>
      )}
      {resolve.error && <Problem error={resolve.error} />}
      <div className="flex gap-2">
        <Button kind="primary" type="submit" isBusy={resolve.isPending}>
          Keep it
        </Button>
        <Button onClick={onClose}>Later</Button>
      </div>
    </form>
  );
}
