import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Receipt } from "lucide-react";

import { COSTS, costReportQuery } from "@/api/costs";
import { RUN_MOVES } from "@/api/house";
import { useRefresh } from "@/api/live";
import { Page } from "@/components/Page";
import { Empty, WhenReady } from "@/components/States";

import { CostNotes } from "./CostNotes";
import { CostReportView } from "./CostReportView";
import { NAMES, type Period, PERIODS, USUAL } from "./periods";

export function CostsPage({ days = USUAL }: { days?: Period }) {
  useRefresh(RUN_MOVES, COSTS);
  const report = useQuery(costReportQuery(days));
  return (
    <Page title="Costs" lead="What model calls cost, by room, model and day." actions={<Periods />}>
      <WhenReady query={report} lines={8}>
        {(costs) =>
          costs.total.calls === 0 ? (
            <Empty title="No model has been called in this time" icon={<Receipt className="size-5" />}>
              Ask the coach for a hint, or a library a question: what it takes is listed here, also for the
              offline model, which costs nothing.
            </Empty>
          ) : (
            <CostReportView costs={costs} />
          )
        }
      </WhenReady>
      <CostNotes />
    </Page>
  );
}

function Periods() {
  return (
    <nav aria-label="Period" className="flex rounded-md border bg-surface p-0.5">
      {PERIODS.map((days) => (
        <Link
          key={days}
          to="/costs"
          search={{ days: days === USUAL ? undefined : days }}
          activeOptions={{ exact: true }}
          className="rounded px-2.5 py-1 text-sm text-muted hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:font-medium aria-[current=page]:text-accent"
        >
          {NAMES[days]}
        </Link>
      ))}
    </nav>
  );
}
