import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import { agentsQuery } from "@/api/board";
import { RUN_MOVES, RUNS, runsQuery } from "@/api/house";
import { useRefresh } from "@/api/live";
import type { BoardAgentView, Run } from "@/api/schema";
import { Badge } from "@/components/Badge";
import { Card } from "@/components/Card";
import { Empty, WhenReady } from "@/components/States";
import { Time } from "@/components/Time";
import { ago, plain } from "@/lib/words";

/** Agents that the board knows, and the house's own runs. */
export function AtWork() {
  useRefresh(["agents.*", "work.*"], agentsQuery.queryKey);
  useRefresh(RUN_MOVES, RUNS);
  const agents = useQuery(agentsQuery);
  const running = useQuery(runsQuery("running"));

  return (
    <Card title="Agents at work">
      <WhenReady query={agents}>
        {(atWork) => (
          <WhenReady query={running}>
            {(runs) =>
              atWork.length + runs.length === 0 ? (
                <Empty title="No agent is working">
                  Once an agent is connected, what it does shows up here while it happens.
                </Empty>
              ) : (
                <ul aria-label="At work" className="divide-y">
                  {atWork.map((agent) => (
                    <AgentLine key={agent.session_id} agent={agent} />
                  ))}
                  {runs.map((run) => (
                    <RunLine key={run.id} run={run} />
                  ))}
                </ul>
              )
            }
          </WhenReady>
        )}
      </WhenReady>
    </Card>
  );
}

function AgentLine({ agent }: { agent: BoardAgentView }) {
  return (
    <li className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1 py-2 text-sm">
      <div className="min-w-0">
        <Link
          to="/board/sessions/$id"
          params={{ id: agent.session_id }}
          className="font-medium underline-offset-2 hover:underline"
        >
          {plain(agent.type)} in {folder(agent.project_dir)}
        </Link>
        <p className="text-muted">{doing(agent)}</p>
      </div>
      <Badge tone={agent.idle ? "warn" : "good"}>
        {agent.idle ? `quiet, last seen ${ago(agent.last_activity_at)}` : "at work"}
      </Badge>
    </li>
  );
}

function RunLine({ run }: { run: Run }) {
  return (
    <li className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1 py-2 text-sm">
      <div className="min-w-0">
        <Link
          to="/traces"
          search={{ run: run.id }}
          className="font-medium underline-offset-2 hover:underline"
        >
          {plain(run.kind)}
        </Link>
        <p className="line-clamp-1 text-muted">{about(run)}</p>
      </div>
      <span className="text-muted">
        since <Time at={run.created_at} />
      </span>
    </li>
  );
}

function doing({ current_tool, working_on }: BoardAgentView): string {
  const task = working_on ? `on “${working_on.title}”` : "";
  if (current_tool) return `uses ${current_tool} ${task}`;
  return task ? `works ${task}` : "holds no work";
}

function about({ input }: Run): string {
  const said = input.question ?? input.input ?? input.library;
  return typeof said === "string" ? said : "";
}

function folder(path: string): string {
  return path.split("/").filter(Boolean).at(-1) ?? path;
}
