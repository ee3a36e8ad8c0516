import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import { sessionsQuery } from "@/api/board";
import type { BoardAgentView } from "@/api/schema";
import { Time } from "@/components/Time";
import { plural } from "@/lib/words";

import { agentName } from "../agents";
import { ProjectName } from "../ProjectName";
import { CurrentTool } from "./CurrentTool";
import { LivenessBadge } from "./LivenessBadge";
import { WorkedOn } from "./WorkedOn";

/** One agent at work. */
export function AgentCard({ agent }: { agent: BoardAgentView }) {
  const sessions = useQuery(sessionsQuery()).data ?? [];
  const lease = sessions.find(({ id }) => id === agent.session_id)?.lease;
  return (
    <article className="h-full rounded-lg border bg-surface p-4 text-sm">
      <header className="mb-2 flex flex-wrap items-center justify-between gap-2">
        <h2 className="text-base font-semibold">
          <Link
            to="/board/sessions/$id"
            params={{ id: agent.session_id }}
            className="hover:text-accent hover:underline"
          >
            {agentName(agent.type, agent.session_id)}
          </Link>
        </h2>
        <span className="flex gap-1.5">
          <LivenessBadge agent={agent} />
        </span>
      </header>
      <CurrentTool agent={agent} />
      <WorkedOn work={agent.working_on} lease={lease} />
      <p className="mt-2 flex flex-wrap gap-x-3 text-muted">
        {agent.project_id && <ProjectName id={agent.project_id} />}
        <span>{plural(agent.total_tools, "tool call")}</span>
        {agent.success_rate !== null && <span>{agent.success_rate} % worked</span>}
        <span>
          heard of <Time at={agent.last_activity_at} />
        </span>
      </p>
    </article>
  );
}
