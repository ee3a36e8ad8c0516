import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import { vocabularyQuery } from "@/api/research";
import type { ResearchRunView, ResearchSessionView } from "@/api/schema";
import { Badge } from "@/components/Badge";
import { Time } from "@/components/Time";
import { money, plural } from "@/lib/words";

import { RunBadge } from "../standing";

type Props = { session: ResearchSessionView; runs: readonly ResearchRunView[] };

/** A conversation with the questions that were researched in it. */
export function SessionRow({ session, runs }: Props) {
  const words = useQuery(vocabularyQuery).data;
  const status = words?.statuses.find(({ id }) => id === session.status)?.label ?? session.status;

  return (
    <li className="py-3">
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <h3 className="min-w-0 font-medium break-words">
          <Link to="/research/sessions/$id" params={{ id: session.id }} className="hover:underline">
            {session.title ?? "Untitled conversation"}
          </Link>
        </h3>
        {session.labels.map((label) => (
          <Badge key={label} tone="accent">
            {words?.labels.find(({ id }) => id === label)?.label ?? label}
          </Badge>
        ))}
        <p className="ml-auto text-sm text-muted">
          {status} · <Time at={session.seen_at} />
        </p>
      </div>
      {runs.length > 0 ? (
        <ul className="mt-1.5 space-y-1">
          {runs.map((run) => (
            <RunLine key={run.id} run={run} />
          ))}
        </ul>
      ) : (
        <p className="mt-1 text-sm text-muted">
          {plural(session.message_count, "message")}, nothing researched
        </p>
      )}
    </li>
  );
}

function RunLine({ run }: { run: ResearchRunView }) {
  return (
    <li className="flex items-baseline gap-2 text-sm">
      <RunBadge run={run} />
      <Link
        to="/research/runs/$id"
        params={{ id: run.id }}
        className="min-w-0 text-accent break-words hover:underline"
      >
        {run.question}
      </Link>
      <span className="ml-auto shrink-0 text-muted">{run.cost > 0 && money(run.cost)}</span>
    </li>
  );
}
