import type { HookView } from "@/api/schema";
import { Badge } from "@/components/Badge";
import { Time } from "@/components/Time";
import { duration } from "@/lib/words";

import { describe } from "./describe";

export function TimelineEvent({ event }: { event: HookView }) {
  const { words, detail } = describe(event);
  return (
    <div className="py-2 text-sm">
      <div className="flex flex-wrap items-center gap-x-3">
        <span className="font-medium">{words}</span>
        {event.success === false && <Badge tone="bad">failed</Badge>}
        {event.success === true && <Badge tone="good">worked</Badge>}
        {event.duration_ms !== null && <span className="text-muted">{duration(event.duration_ms)}</span>}
        <span className="ml-auto text-muted">
          <Time at={event.created_at} />
        </span>
      </div>
      {detail && <p className="truncate font-mono text-xs text-muted">{detail}</p>}
      <details className="text-xs">
        <summary className="text-muted">Details</summary>
        <pre tabIndex={0} className="mt-1 max-h-64 overflow-auto rounded-md bg-sunken p-2 font-mono">
          {JSON.stringify(event.payload, null, 2)}
        </pre>
      </details>
    </div>
  );
}
