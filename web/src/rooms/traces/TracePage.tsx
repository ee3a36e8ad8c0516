import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import type { SpanView } from "@/api/schema";
import { traceQuery } from "@/api/traces";
import { Badge } from "@/components/Badge";
import { Page } from "@/components/Page";
import { WhenReady } from "@/components/States";
import { Time } from "@/components/Time";
import { count, duration, money, plural } from "@/lib/words";

import { SpanDetails } from "./SpanDetails";
import { SpanTree } from "./SpanTree";
import { costOf, tokensOf, wholeOf } from "./spans";

export function TracePage({ id, span }: { id: string; span?: string }) {
  const trace = useQuery(traceQuery(id));
  const first = trace.data?.spans[0];
  return (
    <Page
      title={first?.name ?? "Trace"}
      lead={trace.data && first ? <Summary spans={trace.data.spans} first={first} /> : undefined}
      actions={
        <Link to="/traces" className="text-sm underline underline-offset-2">
          All traces
        </Link>
      }
    >
      <WhenReady query={trace} lines={8}>
        {({ spans }) => {
          const chosen = spans.find(({ span_id }) => span_id === span) ?? spans[0];
          return (
            <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
              <SpanTree traceId={id} spans={spans} chosenId={chosen?.span_id} />
              {chosen && <SpanDetails key={chosen.span_id} span={chosen} />}
            </div>
          );
        }}
      </WhenReady>
    </Page>
  );
}

function Summary({ spans, first }: { spans: readonly SpanView[]; first: SpanView }) {
  const failed = spans.filter(({ status }) => status === "error").length;
  const tokens = spans.reduce((sum, span) => sum + tokensOf(span), 0);
  const cost = spans.reduce((sum, span) => sum + costOf(span), 0);
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <Time at={first.started_at} />
      <span>{duration(wholeOf(spans).length)}</span>
      <span>{plural(spans.length, "step")}</span>
      {tokens > 0 && <span>{count(tokens)} tokens</span>}
      {cost > 0 && <span>{money(cost)}</span>}
      {failed > 0 && <Badge tone="bad">{plural(failed, "step")} failed</Badge>}
    </p>
  );
}
