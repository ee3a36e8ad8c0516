import { useQuery } from "@tanstack/react-query";
import { FlaskConical } from "lucide-react";

import { evalQuery, evalRunsQuery } from "@/api/assistant";
import { useRefresh } from "@/api/live";
import { Card } from "@/components/Card";
import { Page } from "@/components/Page";
import { Empty, Problem, WhenReady } from "@/components/States";

import { OfflineNotice } from "../OfflineNotice";
import { RoomTabs } from "../RoomTabs";
import { EvalProgress } from "./EvalProgress";
import { EvalReport } from "./EvalReport";
import { ExportTurns } from "./ExportTurns";
import { StartEval } from "./StartEval";

/** How well the agents do on the shipped cases, and the numbers of one's own turns. */
export function EvalsPage() {
  const runs = useQuery(evalRunsQuery);
  useRefresh(
    ["run.queued", "run.completed", "run.failed", "run.cancelled", "run.case_played"],
    [...evalRunsQuery.queryKey],
  );

  return (
    <Page
      title="Evals and export"
      lead="Shipped cases are run as a guest user and judged by rules, by what happened, and by a model where there is one."
    >
      <RoomTabs />
      <div className="space-y-6">
        <OfflineNotice />
        <div className="grid gap-6 md:grid-cols-2">
          <StartEval
            isRunning={runs.data?.some(({ status }) => status === "running" || status === "queued")}
          />
          <ExportTurns />
        </div>
        <WhenReady query={runs}>
          {([newest]) =>
            newest ? (
              <NewestEval runId={newest.id} />
            ) : (
              <Empty title="No cases have been run yet." icon={<FlaskConical />}>
                Play one to see how a report looks; all twenty take a while.
              </Empty>
            )
          }
        </WhenReady>
      </div>
    </Page>
  );
}

function NewestEval({ runId }: { runId: string }) {
  const state = useQuery(evalQuery(runId));
  return (
    <Card title="The newest report">
      <WhenReady query={state}>
        {({ status, report, error }) => {
          if (report) return <EvalReport report={report} />;
          if (error) return <Problem error={new Error(String(error.message ?? "It failed."))} />;
          if (status === "cancelled") return <p className="text-sm text-muted">It was stopped.</p>;
          return <EvalProgress runId={runId} />;
        }}
      </WhenReady>
    </Card>
  );
}
