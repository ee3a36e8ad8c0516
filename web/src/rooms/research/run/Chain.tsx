import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import { useRefresh } from "@/api/live";
import { RESEARCH, runsQuery } from "@/api/research";
import type { RunState } from "@/api/schema";
import { Card } from "@/components/Card";
import { classes } from "@/lib/classes";

import { NEWS } from "../news";
import { RunBadge } from "../standing";

/** The questions of the same conversation, in the order in which they were asked. */
export function Chain({ run, session }: { run: RunState; session: string }) {
  useRefresh(NEWS, [...RESEARCH, "runs"]);
  const runs = useQuery(runsQuery(session)).data ?? [];
  if (runs.length < 2) return null;

  return (
    <Card title="Questions of this conversation">
      <ol className="space-y-1.5 text-sm">
        {runs.toReversed().map((each) => (
          <li key={each.id} className={classes("flex items-baseline gap-2", each.follow_up_of && "ml-4")}>
            <RunBadge run={each} />
            {each.follow_up_of && <span className="sr-only">follow-up:</span>}
            {each.id === run.id ? (
              <span aria-current="page" className="min-w-0 font-medium break-words">
                {each.question}
              </span>
            ) : (
              <Link
                to="/research/runs/$id"
                params={{ id: each.id }}
                className="min-w-0 text-accent break-words hover:underline"
              >
                {each.question}
              </Link>
            )}
          </li>
        ))}
      </ol>
    </Card>
  );
}
