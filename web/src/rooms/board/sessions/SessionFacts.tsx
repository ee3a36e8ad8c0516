import type { AgentSummary } from "@/api/schema";
import { Card } from "@/components/Card";
import { Time } from "@/components/Time";
import { duration } from "@/lib/words";

import { Fact } from "../Fact";

export function SessionFacts({ agent }: { agent: AgentSummary }) {
  return (
    <Card title="Session">
      <dl className="grid grid-cols-2 gap-x-4 gap-y-2 text-sm">
        <Fact name="Began">
          <Time at={agent.started_at} />
        </Fact>
        <Fact name={agent.ended_at ? "Ended" : "Heard of"}>
          <Time at={agent.ended_at ?? agent.last_activity_at} />
        </Fact>
        <Fact name="Lasted">{duration(agent.seconds * 1_000)}</Fact>
        <Fact name="Tool calls">
          {agent.total_tools}
          {agent.failed > 0 && `, ${agent.failed} failed`}
        </Fact>
        <Fact name="Worked">{agent.success_rate === null ? "–" : `${agent.success_rate} %`}</Fact>
        <Fact name="Average">
          {agent.average_duration_ms === null ? "–" : duration(agent.average_duration_ms)}
        </Fact>
      </dl>
      <p className="mt-3 font-mono text-xs break-all text-muted">{agent.project_dir}</p>
    </Card>
  );
}
