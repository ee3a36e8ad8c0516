import { Link, type LinkProps } from "@tanstack/react-router";
import { CircleCheck } from "lucide-react";

import { Badge, type Tone } from "@/components/Badge";
import { buttonClass } from "@/components/Button";
import { Card } from "@/components/Card";
import { Loading, Problem } from "@/components/States";
import { Time } from "@/components/Time";
import { count } from "@/lib/words";

import type { Need } from "./needs";
import { useNeeds } from "./useNeeds";

const TONES: Record<Need["room"], Tone> = {
  Board: "info",
  Research: "good",
  Assistant: "accent",
  Journal: "warn",
  Server: "neutral",
};

export function Attention() {
  const { needs, troubles, isLoading } = useNeeds();
  const isCalm = needs.length === 0 && troubles.length === 0 && !isLoading;
  return (
    <Card title="Needs you" note={needs.length > 0 && count(needs.length)}>
      {troubles.map(({ about, error, retry }) => (
        <div key={about} className="mb-2">
          <Problem error={new Error(`${about} could not be asked. ${error.message}`)} onRetry={retry} />
        </div>
      ))}
      {needs.length > 0 && (
        <ul aria-label="Needs you" className="-mx-4 -mb-4 divide-y border-t">
          {needs.map((need) => (
            <NeedLine key={need.key} need={need} />
          ))}
        </ul>
      )}
      {isLoading && needs.length === 0 && <Loading />}
      {isCalm && (
        <div className="flex items-center gap-3">
          <CircleCheck aria-hidden className="size-6 shrink-0 text-good" />
          <div>
            <p className="font-medium">Nothing needs you</p>
            <p className="text-sm text-muted">
              Proposals, questions and pauses of agents appear here by themselves.
            </p>
          </div>
        </div>
      )}
    </Card>
  );
}

function NeedLine({ need: { room, what, title, since, action, isBlocking, link } }: { need: Need }) {
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2.5">
      <div className="min-w-0 grow basis-64">
        <p className="flex flex-wrap items-center gap-x-2 text-xs text-muted">
          <Badge tone={TONES[room]}>{room}</Badge>
          <span>{what}</span>
          <span aria-hidden>·</span>
          <Time at={since} />
        </p>
        <p className="mt-0.5 line-clamp-2 break-words">{title}</p>
      </div>
      <Link
        {...(link as LinkProps)}
        aria-label={`${action}: ${title}`}
        className={buttonClass(isBlocking ? "primary" : "plain")}
      >
        {action}
      </Link>
    </li>
  );
}
