import { Bot } from "lucide-react";

import { CopyLine } from "@/components/CopyLine";
import { Empty } from "@/components/States";

export function NoAgents() {
  return (
    <Empty title="No agent is working" icon={<Bot className="size-6" />}>
      <p className="mb-3">
        Connect one, for example Claude Code in your project's folder, and ask it to take the next work from
        the board:
      </p>
      <div className="mb-3 text-left">
        <CopyLine text={`claude mcp add --transport http bottega ${location.origin}/mcp`} />
      </div>
      <p>
        It appears here as soon as it registers. With hooks that post to <code>/api/board/hooks</code> you
        also see every tool it uses.
      </p>
    </Empty>
  );
}
