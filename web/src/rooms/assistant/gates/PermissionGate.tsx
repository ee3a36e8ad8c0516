import { Button } from "@/components/Button";
import { Markdown } from "@/components/Markdown";

import type { GateProps } from "./useReply";

/** What would run, and whether it may. */
export function PermissionGate({ gate, send, isBusy }: GateProps) {
  return (
    <div className="space-y-3">
      <Markdown text={gate.text} className="text-sm" />
      <p className="text-sm text-muted">
        Tool: <code className="font-mono text-xs">{String(gate.data?.tool ?? "")}</code>
      </p>
      <div className="flex flex-wrap gap-2">
        <Button kind="primary" isBusy={isBusy} onClick={() => send({ decision: "allow" })}>
          Allow once
        </Button>
        <Button disabled={isBusy} onClick={() => send({ decision: "always" })}>
          Always, for this turn
        </Button>
        <Button kind="danger" disabled={isBusy} onClick={() => send({ decision: "deny" })}>
          Deny
        </Button>
      </div>
    </div>
  );
}
