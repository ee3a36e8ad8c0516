import type { RunState } from "@/api/schema";
import { Card } from "@/components/Card";
import { count, duration, money } from "@/lib/words";

import { isOver } from "../standing";
import { StageStep } from "./StageStep";
import { timeOf } from "./time";

/** The way to the answer: each stage, and under it what it called, found, took and cost. */
export function Stages({ run, written }: { run: RunState; written: string }) {
  if (run.stages.length === 0) return null;
  const steps = (
    <ol aria-label="Stages" className="space-y-1">
      {run.stages.map((stage, index) => (
        <StageStep
          key={stage.id}
          stage={stage}
          isLast={index === run.stages.length - 1}
          written={isWriter(run, index) ? written : ""}
        />
      ))}
    </ol>
  );
  if (!isOver(run)) {
    return (
      <Card title="Progress" note={<Total run={run} />}>
        {steps}
      </Card>
    );
  }
  return (
    <details className="rounded-lg border bg-surface p-4">
      <summary className="font-semibold">
        How it went <Total run={run} />
      </summary>
      <div className="mt-3">{steps}</div>
    </details>
  );
}

/** What is written belongs to the stage that began last. */
function isWriter(run: RunState, index: number): boolean {
  const begun = run.stages.filter((stage) => stage.state !== "ahead").length;
  return index === begun - 1;
}

function Total({ run }: { run: RunState }) {
  const time = run.stages.reduce((sum, stage) => sum + timeOf(stage), 0);
  const tokens = run.stages.reduce((sum, stage) => sum + stage.input_tokens + stage.output_tokens, 0);
  const parts = [time > 0 && duration(time), tokens > 0 && `${count(tokens)} tokens`, money(run.cost)];
  return <span className="text-sm font-normal text-muted">{parts.filter(Boolean).join(" · ")}</span>;
}
