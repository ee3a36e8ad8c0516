import type { CostReport, Totals } from "@/api/schema";
import { Card } from "@/components/Card";
import { count, duration, money, plain, plural } from "@/lib/words";

import { CostTable, type Row } from "./CostTable";
import { DayChart } from "./DayChart";

export function CostReportView({ costs }: { costs: CostReport }) {
  const tasks = costs.by_task.map(({ task, room, totals }) => ({
    name: plain(task),
    note: plain(room),
    totals,
  }));
  return (
    <div className="space-y-4">
      <TotalsLine totals={costs.total} />
      <Card title="By day" note="Stacked by room">
        <DayChart days={costs.by_day} rooms={Object.keys(costs.by_room)} />
        <details className="mt-3">
          <summary className="text-sm text-muted">The numbers of each day</summary>
          <CostTable caption="Costs by day" first="Day" rows={byDay(costs)} />
        </details>
      </Card>
      <div className="grid gap-4 lg:grid-cols-2">
        <Card title="By room">
          <CostTable caption="Costs by room" first="Room" rows={grouped(costs.by_room)} />
        </Card>
        <Card title="By model">
          <CostTable caption="Costs by model" first="Model" rows={grouped(costs.by_model)} />
        </Card>
      </div>
      <Card title="By task" note="What the calls were for">
        <CostTable caption="Costs by task" first="Task" rows={tasks} />
      </Card>
    </div>
  );
}

function TotalsLine({ totals }: { totals: Totals }) {
  const facts: [string, string][] = [
    ["Cost", money(totals.cost)],
    ["Model calls", count(totals.calls)],
    ["Failed", plural(totals.failures, "call")],
    ["Tokens in", count(totals.input_tokens)],
    ["Tokens out", count(totals.output_tokens)],
    ["Average answer", totals.average_latency_ms === null ? "–" : duration(totals.average_latency_ms)],
  ];
  return (
    <dl className="grid grid-cols-2 gap-3 sm:grid-cols-3 lg:grid-cols-6">
      {facts.map(([name, value]) => (
        <div key={name} className="rounded-lg border bg-surface p-3">
          <dt className="text-xs text-muted">{name}</dt>
          <dd className="text-lg font-semibold tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function grouped(groups: Record<string, Totals>): Row[] {
  return Object.entries(groups)
    .map(([name, totals]) => ({ name: plain(name), totals }))
    .sort((one, other) => other.totals.cost - one.totals.cost || other.totals.calls - one.totals.calls);
}

function byDay({ by_day }: CostReport): Row[] {
  return by_day
    .filter(({ total }) => total.calls > 0)
    .map(({ day, total }) => ({ name: day, totals: total }))
    .reverse();
}
