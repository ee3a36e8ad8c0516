import { useMutation } from "@tanstack/react-query";
import { Check, Circle, CircleDot } from "lucide-react";

import type { PhaseStatus, PlannedPhase } from "@/api/coach";
import { movePhase } from "@/api/coaching";
import { Button } from "@/components/Button";
import { Markdown } from "@/components/Markdown";
import { toastError } from "@/components/Toasts";
import { classes } from "@/lib/classes";

import { useDesk } from "../desk/store";
import { HintedFiles } from "./HintedFiles";

const SIGNS = {
  pending: { icon: Circle, words: "to do", colour: "text-muted" },
  active: { icon: CircleDot, words: "now", colour: "text-accent" },
  complete: { icon: Check, words: "done", colour: "text-good" },
} as const;

/** The plan's phases; the one at hand is unfolded. */
export function Phases() {
  const phases = useDesk((state) => state.phases);
  const move = useMutation({ mutationFn: movePhase, onError: toastError });
  const next = phases.some(({ status }) => status === "active")
    ? undefined
    : phases.find(({ status }) => status === "pending");

  return (
    <ol className="space-y-1">
      {phases.map((phase) => (
        <Phase
          key={phase.number}
          phase={phase}
          isNext={phase === next}
          isBusy={move.isPending && move.variables.number === phase.number}
          onMove={(status) => move.mutate({ number: phase.number, status })}
        />
      ))}
    </ol>
  );
}

type Props = {
  phase: PlannedPhase;
  isNext: boolean;
  isBusy: boolean;
  onMove: (status: PhaseStatus) => void;
};

function Phase({ phase, isNext, isBusy, onMove }: Props) {
  const { number, title, description, status } = phase;
  const { icon: Icon, words, colour } = SIGNS[status];
  const isActive = status === "active";
  return (
    <li className={classes("rounded-md px-2 py-1.5", isActive && "bg-sunken")}>
      <div className="flex items-start gap-2 text-sm">
        <Icon aria-hidden className={classes("mt-0.5 size-4 shrink-0", colour)} />
        <h3 className={classes("min-w-0 grow", isActive && "font-medium")}>
          {number}. {title.replaceAll("`", "")}{" "}
          <span className="text-xs font-normal text-muted">({words})</span>
        </h3>
        {status === "pending" && (
          <Move
            kind={isNext ? "primary" : "quiet"}
            isBusy={isBusy}
            onClick={() => onMove("active")}
            number={number}
          >
            Start
          </Move>
        )}
        {status === "complete" && (
          <Move kind="quiet" isBusy={isBusy} onClick={() => onMove("pending")} number={number}>
            Put back
          </Move>
        )}
      </div>
      {isActive && (
        <div className="mt-1 space-y-2 pl-6 text-sm">
          <Markdown text={description} className="space-y-1.5" />
          <HintedFiles />
          <div className="flex flex-wrap gap-1">
            <Move kind="plain" isBusy={isBusy} onClick={() => onMove("complete")} number={number}>
              Complete
            </Move>
            <Move kind="quiet" isBusy={isBusy} onClick={() => onMove("pending")} number={number}>
              Put back
            </Move>
          </div>
        </div>
      )}
    </li>
  );
}

type MoveProps = Parameters<typeof Button>[0] & { number: number };

function Move({ number, children, ...rest }: MoveProps) {
  return (
    <Button className="-my-0.5 px-2! py-0.5!" {...rest}>
      {children}
      <span className="sr-only"> phase {number}</span>
    </Button>
  );
}
