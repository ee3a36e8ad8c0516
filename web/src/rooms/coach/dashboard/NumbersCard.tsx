import type { DashboardState, Period } from "@/api/schema";
import { Card } from "@/components/Card";
import { Choices } from "@/components/Choices";
import { count, duration, money } from "@/lib/words";

const PERIODS = [
  ["7d", "7 days"],
  ["30d", "30 days"],
  ["all", "All time"],
] as const;

type Props = { stats: DashboardState["stats"]; period: Period; onPeriod: (period: Period) => void };

export function NumbersCard({ stats, period, onPeriod }: Props) {
  return (
    <Card
      title="In numbers"
      note={<Choices label="Period" value={period} options={PERIODS} onChange={onPeriod} />}
    >
      <dl className="grid grid-cols-2 gap-x-6 gap-y-3 sm:grid-cols-4 lg:grid-cols-7">
        <Figure name="Sessions" value={count(stats.sessionsCompleted)} />
        <Figure name="Time coached" value={minutes(stats.totalCoachingMinutes)} />
        <Figure name="Issues" value={count(stats.issuesWorkedOn)} />
        <Figure name="Gaps found" value={count(stats.knowledgeGapsIdentified)} />
        <Figure name="Gaps closed" value={count(stats.knowledgeGapsAddressed)} />
        <Figure name="Hints used" value={count(stats.hintsUsed)} />
        <Figure name="Spent on models" value={money(stats.apiCostTotal)} />
      </dl>
    </Card>
  );
}

function minutes(number: number): string {
  return number < 60 ? `${Math.round(number)} min` : duration(Math.round(number) * 60_000);
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div className="flex flex-col-reverse justify-end">
      <dt className="text-sm text-muted">{name}</dt>
      <dd className="text-xl font-semibold tabular-nums">{value}</dd>
    </div>
  );
}
