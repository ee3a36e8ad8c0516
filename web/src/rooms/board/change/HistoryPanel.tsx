import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ArrowRight } from "lucide-react";

import { historyQuery } from "@/api/changes";
import type { Actor, TransitionView } from "@/api/schema";
import { Badge } from "@/components/Badge";
import { Card } from "@/components/Card";
import { Empty, WhenReady } from "@/components/States";
import { Time } from "@/components/Time";
import { plain } from "@/lib/words";

import { stateOf } from "./lifecycle";
import type { PanelProps } from "./Panel";

const ACTORS: Record<Actor, string> = { user: "a person", agent: "an agent", system: "the board" };

/** Every step with who, why and when; the newest first. */
export function HistoryPanel({ at }: PanelProps) {
  return (
    <WhenReady query={useQuery(historyQuery(at))} lines={5}>
      {({ transitions }) => (
        <Card title="History">
          {transitions.length === 0 ? (
            <Empty title="Nothing has happened yet." />
          ) : (
            <ol reversed className="divide-y text-sm">
              {transitions.toReversed().map((step) => (
                <HistoryStep key={step.id} step={step} />
              ))}
            </ol>
          )}
        </Card>
      )}
    </WhenReady>
  );
}

function HistoryStep({ step }: { step: TransitionView }) {
  const isMove = step.from_state !== null && step.from_state !== step.to_state;
  return (
    <li className="space-y-1 py-2.5">
      <p className="flex flex-wrap items-center gap-2">
        {isMove && (
          <>
            <Badge>{plain(step.from_state!)}</Badge>
            <ArrowRight role="img" aria-label="to" className="size-3.5 text-muted" />
          </>
        )}
        <Badge tone={stateOf(step.to_state).tone}>{plain(step.to_state)}</Badge>
        <span className="text-muted">
          by <Who step={step} />, <Time at={step.transitioned_at} />
        </span>
      </p>
      {step.notes && <p className="break-words whitespace-pre-wrap">{step.notes}</p>}
    </li>
  );
}

function Who({ step }: { step: TransitionView }) {
  const { triggered_by, trigger_user_id, trigger_session_id } = step;
  if (trigger_session_id) {
    return (
      <Link
        to="/board/sessions/$id"
        params={{ id: trigger_session_id }}
        className="text-accent underline underline-offset-2"
      >
        {ACTORS[triggered_by]}
      </Link>
    );
  }
  const isNamed = trigger_user_id !== null && trigger_user_id !== "local";
  return <>{isNamed ? trigger_user_id : ACTORS[triggered_by]}</>;
}
