import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import { agentQuery, sessionsQuery } from "@/api/board";
import type { AgentSummary } from "@/api/schema";
import { Card } from "@/components/Card";
import { Page } from "@/components/Page";
import { WhenReady } from "@/components/States";

import { agentName } from "../agents";
import { useBoardRefresh } from "../useBoardRefresh";
import { CurrentTool } from "./CurrentTool";
import { EndSession } from "./EndSession";
import { LivenessBadge } from "./LivenessBadge";
import { SessionFacts } from "./SessionFacts";
import { Timeline } from "./Timeline";
import { Tools } from "./Tools";
import { WorkedOn } from "./WorkedOn";

/** One agent's session: what it does, and what it did. */
export function SessionPage({ id }: { id: string }) {
  useBoardRefresh();
  const agent = useQuery(agentQuery(id));
  return (
    <Page
      title={agent.data ? agentName(agent.data.type, id) : "Session"}
      lead={
        <Link to="/board/sessions" className="text-accent underline">
          All sessions
        </Link>
      }
      actions={
        agent.data && (
          <>
            <LivenessBadge agent={agent.data} />
            {!agent.data.ended_at && <EndSession agent={agent.data} />}
          </>
        )
      }
    >
      <WhenReady query={agent}>{(known) => <Known agent={known} />}</WhenReady>
    </Page>
  );
}

function Known({ agent }: { agent: AgentSummary }) {
  const sessions = useQuery(sessionsQuery()).data ?? [];
  const lease = sessions.find(({ id }) => id === agent.session_id)?.lease;
  return (
    <div className="grid gap-4 lg:grid-cols-[minmax(0,1fr)_minmax(0,2fr)]">
      <div className="space-y-4">
        <Card title="Now">
          <div className="space-y-1 text-sm">
            <CurrentTool agent={agent} />
            <WorkedOn work={agent.working_on} lease={lease} />
          </div>
        </Card>
        <SessionFacts agent={agent} />
        <Tools tools={agent.tools} />
      </div>
      <Timeline sessionId={agent.session_id} />
    </div>
  );
}
