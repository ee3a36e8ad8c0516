import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { BookOpenText } from "lucide-react";
import { useMemo } from "react";

import { runsQuery, sessionsQuery } from "@/api/research";
import type { ResearchRunView } from "@/api/schema";
import { Button } from "@/components/Button";
import { Card } from "@/components/Card";
import { Empty, WhenReady } from "@/components/States";

import { Filters } from "./Filters";
import { SessionRow } from "./SessionRow";

const route = getRouteApi("/research/");
const PAGE = 20;

/** Everything asked so far, by conversation. */
export function History() {
  const { q, status, label, archived, page = 1 } = route.useSearch();
  const navigate = route.useNavigate();
  const limit = page * PAGE;
  const sessions = useQuery(sessionsQuery({ query: q, status, label, archived, limit }));
  const runs = useQuery(runsQuery());
  const bySession = useMemo(() => grouped(runs.data ?? []), [runs.data]);
  const isFiltered = Boolean(q || status || label || archived);

  return (
    <Card title="Asked so far">
      <Filters />
      <WhenReady query={sessions}>
        {(found) =>
          found.length === 0 ? (
            <Nothing isFiltered={isFiltered} />
          ) : (
            <ul className="divide-y">
              {found.map((session) => (
                <SessionRow key={session.id} session={session} runs={bySession.get(session.id) ?? []} />
              ))}
            </ul>
          )
        }
      </WhenReady>
      {sessions.data?.length === limit && (
        <Button
          className="mt-3"
          isBusy={sessions.isFetching}
          onClick={() => navigate({ search: (was) => ({ ...was, page: page + 1 }), resetScroll: false })}
        >
          Show more
        </Button>
      )}
    </Card>
  );
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  return isFiltered ? (
    <Empty title="No matches">Try other words, or another status or label.</Empty>
  ) : (
    <Empty title="Nothing was asked yet" icon={<BookOpenText className="size-5" />}>
      Your questions and their answers are kept here, so that you can come back and follow up.
    </Empty>
  );
}

/** By conversation, the oldest question first. */
function grouped(runs: readonly ResearchRunView[]): Map<string, ResearchRunView[]> {
  const groups = new Map<string, ResearchRunView[]>();
  for (const run of runs) {
    if (run.session_id) groups.set(run.session_id, [run, ...(groups.get(run.session_id) ?? [])]);
  }
  return groups;
}
