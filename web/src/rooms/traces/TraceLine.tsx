import { Link } from "@tanstack/react-router";

import type { TraceView } from "@/api/schema";
import { Badge } from "@/components/Badge";
import { Time } from "@/components/Time";
import { duration, plain, plural } from "@/lib/words";

export function TraceLine({ trace }: { trace: TraceView }) {
  return (
    <Link
      to="/traces/$id"
      params={{ id: trace.trace_id }}
      className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 px-4 py-2 text-sm -outline-offset-2 hover:bg-sunken"
    >
      <span className="flex min-w-0 grow basis-56 items-center gap-2">
        <span className="truncate font-medium">{trace.name}</span>
        {trace.status === "error" && <Badge tone="bad">failed</Badge>}
      </span>
      <span className="flex flex-wrap items-center gap-x-3 text-xs text-muted">
        <Badge>{trace.kind}</Badge>
        {trace.room && <span>{plain(trace.room)}</span>}
        <span>{plural(trace.span_count, "step")}</span>
        <span className="tabular-nums">{duration(trace.duration_ms)}</span>
        <Time at={trace.started_at} />
      </span>
    </Link>
  );
}
