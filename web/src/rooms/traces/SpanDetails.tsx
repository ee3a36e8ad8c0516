import { Link } from "@tanstack/react-router";

import type { SpanView } from "@/api/schema";
import { Badge } from "@/components/Badge";
import { Card } from "@/components/Card";
import { dateTime, duration } from "@/lib/words";

import { isShort, Payload } from "./Payload";

/** All that is known of one step. */
export function SpanDetails({ span }: { span: SpanView }) {
  const named = Object.entries(span.attributes).sort(([one], [other]) => one.localeCompare(other));
  const short = named.filter(([, value]) => isShort(value));
  const long = named.filter(([, value]) => !isShort(value));
  return (
    <Card title={<span className="break-words">{span.name}</span>} className="min-w-0">
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-sm">
        <dt className="text-muted">outcome</dt>
        <dd>
          {span.status === "error" ? <Badge tone="bad">failed</Badge> : <Badge tone="good">succeeded</Badge>}
        </dd>
        <dt className="text-muted">kind</dt>
        <dd>{span.kind}</dd>
        <dt className="text-muted">began</dt>
        <dd>{dateTime(span.started_at)}</dd>
        <dt className="text-muted">took</dt>
        <dd>{duration(span.duration_ms)}</dd>
        {span.run_id && (
          <>
            <dt className="text-muted">run</dt>
            <dd className="truncate">
              <Link to="/traces" search={{ run: span.run_id }} className="underline underline-offset-2">
                {span.run_id}
              </Link>
            </dd>
          </>
        )}
        {span.session_id && (
          <>
            <dt className="text-muted">session</dt>
            <dd className="truncate">
              <Link
                to="/traces"
                search={{ session: span.session_id }}
                className="underline underline-offset-2"
              >
                {span.session_id}
              </Link>
            </dd>
          </>
        )}
        {short.map(([name, value]) => (
          <Fact key={name} name={name} value={value} />
        ))}
      </dl>
      {long.map(([name, value]) => (
        <Payload key={name} name={name} value={value} />
      ))}
      {span.events.map((event, place) => (
        <Payload key={place} name={`Happened: ${nameOf(event)}`} value={event} />
      ))}
    </Card>
  );
}

function Fact({ name, value }: { name: string; value: unknown }) {
  return (
    <>
      <dt className="break-all text-muted">{name}</dt>
      <dd className="break-words">{String(value)}</dd>
    </>
  );
}

function nameOf(event: unknown): string {
  return typeof event === "object" && event !== null && "name" in event ? String(event.name) : "something";
}
