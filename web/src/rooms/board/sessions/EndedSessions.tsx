import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import { sessionsQuery } from "@/api/board";
import { VirtualList } from "@/components/VirtualList";
import { WhenReady } from "@/components/States";
import { Time } from "@/components/Time";

import { agentName } from "../agents";
import { ProjectName } from "../ProjectName";

export function EndedSessions({ project }: { project?: string }) {
  const sessions = useQuery(sessionsQuery(false));
  return (
    <WhenReady query={sessions}>
      {(all) => {
        const over = all.filter(
          ({ ended_at, project_id }) => ended_at && (project === undefined || project_id === project),
        );
        if (over.length === 0) return <p className="text-sm text-muted">No session has ended yet.</p>;
        return (
          <VirtualList
            label="Ended sessions"
            items={over}
            rowHeight={44}
            keyOf={({ id }) => id}
            className="max-h-96 rounded-lg border bg-surface"
          >
            {({ id, type, project_id, started_at, ended_at }) => (
              <div className="flex flex-wrap items-center justify-between gap-x-4 px-3 py-2 text-sm">
                <Link
                  to="/board/sessions/$id"
                  params={{ id }}
                  className="font-medium hover:text-accent hover:underline"
                >
                  {agentName(type, id)}
                </Link>
                <span className="flex flex-wrap gap-x-3 text-muted">
                  <ProjectName id={project_id} />
                  <span>
                    began <Time at={started_at} />
                  </span>
                  {ended_at && (
                    <span>
                      ended <Time at={ended_at} />
                    </span>
                  )}
                </span>
              </div>
            )}
          </VirtualList>
        );
      }}
    </WhenReady>
  );
}
