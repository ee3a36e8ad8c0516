import { useQuery } from "@tanstack/react-query";

import { agentsQuery, metricsQuery } from "@/api/board";
import { CheckBox } from "@/components/Field";
import { WhenReady } from "@/components/States";
import { duration, plural } from "@/lib/words";

import { BoardPage } from "../BoardPage";
import { Filters } from "../Filters";
import { useBoardSearch } from "../search";
import { AgentCard } from "./AgentCard";
import { EndedSessions } from "./EndedSessions";
import { NoAgents } from "./NoAgents";

/** Who is at work, the liveliest first. */
export function SessionsPage() {
  const [{ ended, project }, change] = useBoardSearch();
  const agents = useQuery(agentsQuery);
  return (
    <BoardPage title="Sessions">
      <Filters names={["project"]} />
      <WhenReady query={agents}>
        {(all) => {
          const here = all.filter(({ project_id }) => project === undefined || project_id === project);
          return here.length === 0 ? (
            <NoAgents />
          ) : (
            <ul aria-label="Agents" className="grid gap-3 lg:grid-cols-2">
              {here.map((agent) => (
                <li key={agent.session_id}>
                  <AgentCard agent={agent} />
                </li>
              ))}
            </ul>
          );
        }}
      </WhenReady>
      <AllTogether />
      <CheckBox
        className="mt-6 mb-3"
        label="Show ended sessions"
        checked={ended === "yes"}
        onChange={(event) => change({ ended: event.target.checked ? "yes" : undefined })}
      />
      {ended === "yes" && <EndedSessions project={project} />}
    </BoardPage>
  );
}

function AllTogether() {
  const metrics = useQuery(metricsQuery).data;
  if (!metrics || metrics.total_tools === 0) return null;
  return (
    <p className="mt-4 text-sm text-muted">
      All sessions so far: {plural(metrics.sessions, "session")}, {plural(metrics.total_tools, "tool call")}
      {metrics.success_rate !== null && `, ${metrics.success_rate} % worked`}
      {metrics.average_duration_ms !== null && `, ${duration(metrics.average_duration_ms)} on average`}.
    </p>
  );
}
