import { Check, CircleDashed, CircleSlash, LoaderCircle, type LucideIcon, X } from "lucide-react";

import type { StageProgress, StepState, SubstepProgress } from "@/api/schema";
import { classes } from "@/lib/classes";
import { count, duration, money } from "@/lib/words";

import { timeOf } from "./time";
import { Writing } from "./Writing";

const MARKS: Record<StepState, { icon: LucideIcon; colour: string; word: string }> = {
  ahead: { icon: CircleDashed, colour: "text-muted", word: "still ahead" },
  working: { icon: LoaderCircle, colour: "animate-spin text-info", word: "under way" },
  done: { icon: Check, colour: "text-good", word: "done" },
  failed: { icon: X, colour: "text-bad", word: "failed" },
  stopped: { icon: CircleSlash, colour: "text-muted", word: "stopped" },
};

type Props = { stage: StageProgress; isLast: boolean; written: string };

export function StageStep({ stage, isLast, written }: Props) {
  return (
    <li className="relative flex gap-3">
      {!isLast && <span aria-hidden className="absolute top-6 bottom-0 left-[9px] w-px bg-line" />}
      <span className="mt-0.5 bg-surface">
        <Mark state={stage.state} size="size-5" />
      </span>
      <div className="min-w-0 grow pb-2">
        <p className="flex flex-wrap items-baseline justify-between gap-x-3">
          <span
            className={classes(
              stage.state === "working" && "font-medium",
              stage.state === "ahead" && "text-muted",
            )}
          >
            {stage.title}
          </span>
          <Taken step={stage} />
        </p>
        {stage.note && <p className="text-sm text-muted">{stage.note}</p>}
        {stage.substeps.length > 0 && (
          <ul className="mt-1 space-y-0.5">
            {stage.substeps.map((substep) => (
              <Substep key={substep.id} substep={substep} />
            ))}
          </ul>
        )}
        <Writing text={written} />
      </div>
    </li>
  );
}

function Substep({ substep }: { substep: SubstepProgress }) {
  return (
    <li className="flex flex-wrap items-start gap-x-2 text-sm sm:flex-nowrap">
      <span className="mt-1">
        <Mark state={substep.state} size="size-3.5" />
      </span>
      <span className="min-w-0 flex-1 break-words">
        {substep.title}
        {substep.result && <span className="text-muted"> {substep.result}</span>}
      </span>
      <Taken step={substep} />
    </li>
  );
}

function Mark({ state, size }: { state: StepState; size: string }) {
  const { icon: Icon, colour, word } = MARKS[state];
  return (
    <>
      <Icon aria-hidden className={`${size} ${colour}`} />
      <span className="sr-only">{word}: </span>
    </>
  );
}

/** Time, tokens and dollars, as far as there are any. */
function Taken({ step }: { step: StageProgress | SubstepProgress }) {
  const time = timeOf(step);
  const tokens = step.input_tokens + step.output_tokens;
  const parts = [
    time > 0 && duration(time),
    tokens > 0 && `${count(tokens)} tokens`,
    step.cost > 0 && money(step.cost),
  ];
  return (
    <span className="basis-full pl-5.5 text-right text-xs text-muted sm:basis-auto sm:shrink-0">
      {parts.filter(Boolean).join(" · ")}
    </span>
  );
}
