import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { FormEvent } from "react";

import { evalRunsQuery } from "@/api/assistant";
import { answer, rest } from "@/api/client";
import type { EvalOrder } from "@/api/schema";
import { Button } from "@/components/Button";
import { Card } from "@/components/Card";
import { CheckBox, TextField } from "@/components/Field";
import { Problem } from "@/components/States";
import { useKept } from "@/lib/kept";

type Part = NonNullable<EvalOrder["without"]>[number];

const PARTS: readonly Part[] = ["skills", "workspace", "memory", "subagents"];

export function StartEval({ isRunning = false }: { isRunning?: boolean }) {
  const [order, setOrder] = useKept<{ cases: string; without: Part[] }>("assistant.evals", {
    cases: "",
    without: [],
  });
  const queries = useQueryClient();
  const start = useMutation({
    mutationFn: () =>
      answer(
        rest.POST("/api/assistant/evals", {
          body: { cases: order.cases.trim() || null, without: order.without },
        }),
      ),
    onSuccess: () => queries.invalidateQueries({ queryKey: evalRunsQuery.queryKey }),
  });

  function submit(event: FormEvent) {
    event.preventDefault();
    if (!isRunning && !start.isPending) start.mutate();
  }

  return (
    <Card title="Run the cases">
      <form onSubmit={submit} className="space-y-3">
        <TextField
          label="Only cases whose name contains"
          placeholder="all of them"
          hint="For example: computing, history, review"
          value={order.cases}
          onChange={(event) => setOrder({ ...order, cases: event.target.value })}
        />
        <fieldset>
          <legend className="mb-1 text-sm font-medium">Run them again without</legend>
          <div className="flex flex-wrap gap-x-4 gap-y-1">
            {PARTS.map((part) => (
              <CheckBox
                key={part}
                label={part}
                checked={order.without.includes(part)}
                onChange={(event) =>
                  setOrder({
                    ...order,
                    without: event.target.checked
                      ? [...order.without, part]
                      : order.without.filter((each) => each !== part),
                  })
                }
              />
            ))}
          </div>
        </fieldset>
        {start.error && <Problem error={start.error} />}
        <Button kind="primary" type="submit" isBusy={start.isPending} disabled={isRunning}>
          {isRunning ? "Being played…" : "Play"}
        </Button>
      </form>
    </Card>
  );
}
