import { Link } from "@tanstack/react-router";

import type { Ended } from "@/api/schema";
import { Badge } from "@/components/Badge";
import { Markdown } from "@/components/Markdown";
import { Problem } from "@/components/States";
import { count, money, plural } from "@/lib/words";

import { ENDING } from "../words";

/** How a turn ended, why, and what it took. */
export function TurnEnd({ end }: { end: Ended }) {
  if (end.type === "cancelled") {
    return (
      <p className="text-sm text-muted">You stopped it. What was said stays; go on whenever you like.</p>
    );
  }
  if (end.type === "failed" || !end.output) {
    const message = typeof end.error?.message === "string" ? end.error.message : "The turn failed.";
    return <Problem error={new Error(`${message} What you said is kept: send it again to try once more.`)} />;
  }
  const { status, reason, hook, cost, input_tokens = 0, output_tokens = 0, turns = 0, trace_id } = end.output;
  const [words, tone] = ENDING[status];
  return (
    <footer className="space-y-2 border-t pt-3 text-sm">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted">
        <Badge tone={tone}>{words}</Badge>
        {hook && <span>{hook}</span>}
        <span>{plural(turns, "step")}</span>
        <span>{output_tokens > 0 ? `${count(input_tokens + output_tokens)} tokens` : "no model used"}</span>
        <span>{money(cost ?? 0)}</span>
        {trace_id && (
          <Link to="/traces/$id" params={{ id: trace_id }} className="text-accent underline">
            Trace
          </Link>
        )}
      </p>
      {reason && <Markdown text={reason} className="rounded-md bg-warn-soft p-3 text-warn" />}
    </footer>
  );
}
