import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import { runsOfAgentQuery } from "@/api/agents";
import { useRefresh } from "@/api/live";
import type { ResearchRunView, RunStatus } from "@/api/schema";
import { Badge, type Tone } from "@/components/Badge";
import { Card } from "@/components/Card";
import { Empty, WhenReady } from "@/components/States";
import { Time } from "@/components/Time";
import { duration, money, plain, plural } from "@/lib/words";

const TONES: Record<RunStatus, Tone> = {
  queued: "neutral",
  running: "info",
  paused: "warn",
  completed: "good",
  failed: "bad",
  cancelled: "neutral",
};

/** Every run is told by the server under its own id: what one does now says nothing of another. */
export function RunsOfAgent({ slug }: { slug: string }) {
  const runs = useQuery(runsOfAgentQuery(slug));
  useRefresh(["run.*"], runsOfAgentQuery(slug).queryKey);
  return (
    <Card title="Its runs" note={runs.data && runs.data.length > 0 && plural(runs.data.length, "run")}>
      <WhenReady query={runs}>
        {(runs) =>
          runs.length ? (
            <ul className="divide-y">
              {runs.map((run) => (
                <RunRow key={run.id} {...run} />
              ))}
            </ul>
          ) : (
            <Empty title="It has not been used yet" />
          )
        }
      </WhenReady>
    </Card>
  );
}

function RunRow(run: ResearchRunView) {
  const { id, question, library, status, answer_status, depth, created_at, ended_at, cost, error } = run;
  const took = ended_at ? new Date(ended_at).getTime() - new Date(created_at).getTime() : null;
  return (
    <li className="py-2 text-sm">
      <div className="flex flex-wrap items-baseline justify-between gap-x-3 gap-y-1">
        <Link
          to="/research/runs/$id"
          params={{ id }}
          className="min-w-0 font-medium break-words text-accent underline-offset-2 hover:underline"
        >
          {question}
        </Link>
        <Badge tone={TONES[status]}>
          {status === "paused" ? "needs you" : plain(answer_status ?? status)}
        </Badge>
      </div>
      <p className="text-muted">
        {library}
        {depth && ` · ${depth}`} · <Time at={created_at} />
        {took !== null && ` · took ${duration(took)}`}
        {cost ? ` · ${money(cost)}` : ""}
      </p>
      {typeof error?.message === "string" && <p className="text-bad">{error.message}</p>}
    </li>
  );
}
