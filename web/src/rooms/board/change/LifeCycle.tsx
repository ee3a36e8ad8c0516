import { Check, ChevronRight } from "lucide-react";

import type { ChangeView } from "@/api/schema";
import { classes } from "@/lib/classes";
import { plain } from "@/lib/words";

import { type Step, stateOf, stepsOf } from "./lifecycle";

const LOOKS: Record<Step["place"], string> = {
  behind: "border-line text-muted",
  here: "border-accent bg-accent-soft font-medium text-accent",
  next: "border-dashed border-line-strong",
  ahead: "border-line text-muted",
};

const SAID: Record<Step["place"], string> = {
  behind: "done",
  here: "it is here",
  next: "it may go here",
  ahead: "",
};

/** The way of a change as steps: where it is, and where a person may move it. */
export function LifeCycle({ change }: { change: ChangeView }) {
  const { means } = stateOf(change.status);
  return (
    <div>
      <h2 className="sr-only">Status</h2>
      <ol aria-label="Life cycle" className="flex flex-wrap items-center gap-y-1.5 text-sm">
        {stepsOf(change).map(({ status, means: meaning, place }, index) => (
          <li key={status} className="flex items-center" aria-current={place === "here" ? "step" : undefined}>
            {index > 0 && <ChevronRight aria-hidden className="mx-0.5 size-3.5 text-muted" />}
            <span
              title={meaning}
              className={classes("flex items-center gap-1 rounded-full border px-2 py-0.5", LOOKS[place])}
            >
              {place === "behind" && <Check aria-hidden className="size-3.5" />}
              {plain(status)}
              {SAID[place] && <span className="sr-only">({SAID[place]})</span>}
            </span>
          </li>
        ))}
      </ol>
      <p className="mt-2 text-sm">
        {change.rejection_reason ? `Rejected: ${change.rejection_reason}` : `${means}.`}
      </p>
    </div>
  );
}
