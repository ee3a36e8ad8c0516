import type { BoardAgentView } from "@/api/schema";
import { duration } from "@/lib/words";

type Props = { agent: Pick<BoardAgentView, "current_tool" | "current_tool_seconds"> };

export function CurrentTool({ agent: { current_tool, current_tool_seconds } }: Props) {
  if (!current_tool) return <p className="text-muted">No tool in use</p>;
  return (
    <p>
      Uses <strong className="font-medium">{current_tool}</strong>
      {current_tool_seconds !== null && ` for ${duration(current_tool_seconds * 1_000)}`}
    </p>
  );
}
