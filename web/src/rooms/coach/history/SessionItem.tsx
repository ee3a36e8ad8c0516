import { Link } from "@tanstack/react-router";

import type { SessionLine } from "@/api/schema";
import { Badge } from "@/components/Badge";
import { Button } from "@/components/Button";
import { Time } from "@/components/Time";

import { canGoOn, statusWords, titleOf, useResume } from "./sessions";

export function SessionItem({ session }: { session: SessionLine }) {
  const resume = useResume();
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-4 py-3">
      <div className="min-w-0 grow basis-60">
        <Link
          to="/coach/sessions/$id"
          params={{ id: session.id }}
          className="font-medium break-words text-accent underline"
        >
          {titleOf(session)}
        </Link>
        <p className="text-sm text-muted">
          <SessionFacts {...session} />
        </p>
      </div>
      {canGoOn(session.status) && (
        <Button
          isBusy={resume.isPending}
          onClick={() => resume.mutate(session.id)}
          aria-label={`Go on with ${titleOf(session)}`}
        >
          Go on
        </Button>
      )}
    </div>
  );
}

export function SessionFacts({ status, startedAt, minutes, phasesCompleted, phasesTotal }: SessionLine) {
  const [tone, words] = statusWords(status);
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2">
      <Badge tone={tone}>{words}</Badge>
      <Time at={startedAt} />
      <span>{Math.round(minutes)} min</span>
      {phasesTotal > 0 && (
        <span>
          {phasesCompleted} of {phasesTotal} phases done
        </span>
      )}
    </span>
  );
}
