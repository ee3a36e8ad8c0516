import { Card } from "@/components/Card";
import { CopyLine } from "@/components/CopyLine";

export function ConnectAgent() {
  return (
    <Card title="Connect an agent">
      <p className="mb-2 text-sm text-muted">
        Run this where your coding agent works. Any other MCP client takes the address at its end.
      </p>
      <CopyLine text={`claude mcp add --transport http bottega ${location.origin}/mcp`} />
    </Card>
  );
}
