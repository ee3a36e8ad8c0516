import type { BoardAgentView } from "@/api/schema";
import { Badge } from "@/components/Badge";
import { duration } from "@/lib/words";

import { LIVENESS } from "../agents";

type Props = { agent: Pick<BoardAgentView, "liveness" | "idle" | "idle_seconds" | "ended_at"> };

/** Whether it is heard of, and since when it does nothing. */
export function LivenessBadge({ agent }: Props) {
  if (agent.ended_at) return <Badge>ended</Badge>;
  const { tone, means } = LIVENESS[agent.liveness];
  return (
    <>
      <Badge tone={tone} title={means}>
        {agent.liveness}
      </Badge>
      {agent.idle && <Badge tone="warn">idle for {duration(agent.idle_seconds * 1_000)}</Badge>}
    </>
  );
}
