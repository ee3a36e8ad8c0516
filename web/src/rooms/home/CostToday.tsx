import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import { COSTS, costReportQuery } from "@/api/costs";
import { RUN_MOVES } from "@/api/house";
import { useRefresh } from "@/api/live";
import type { CostReport } from "@/api/schema";
import { Card } from "@/components/Card";
import { WhenReady } from "@/components/States";
import { money, plural } from "@/lib/words";

import { Sparkline } from "./Sparkline";

const DAYS = 14;

export function CostToday() {
  useRefresh(RUN_MOVES, COSTS);
  const report = useQuery(costReportQuery(DAYS));
  return (
    <Card
      title="Cost today"
      note={
        <Link to="/costs" className="underline underline-offset-2">
          All costs
        </Link>
      }
    >
      <WhenReady query={report} lines={2}>
        {(costs) => <Today costs={costs} />}
      </WhenReady>
    </Card>
  );
}

function Today({ costs: { by_day, total } }: { costs: CostReport }) {
  const today = by_day.at(-1)?.total;
  return (
    <>
      <p className="text-2xl font-semibold">{money(today?.cost ?? 0)}</p>
      <p className="mb-2 text-sm text-muted">{plural(today?.calls ?? 0, "model call")} today</p>
      <Sparkline
        values={by_day.map((day) => day.total.cost)}
        label={`Cost on each of the last ${DAYS} days`}
      />
      <p className="mt-1 text-xs text-muted">
        {money(total.cost)} in the last {DAYS} days
      </p>
    </>
  );
}
