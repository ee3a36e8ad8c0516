import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";

import { useRefresh } from "@/api/live";
import { dashboardQuery, LEARNING } from "@/api/learning";
import type { Period } from "@/api/schema";
import { useSocketState } from "@/api/socket";
import { Page } from "@/components/Page";
import { Notice, WhenReady } from "@/components/States";
import { useCommands } from "@/shell/commands";

import { useArrivals } from "./arrivals";
import { CoachTabs } from "./CoachTabs";
import { GapsCard } from "./GapsCard";
import { IssuesCard } from "./IssuesCard";
import { KatasCard } from "./KatasCard";
import { MaterialsCard } from "./MaterialsCard";
import { NumbersCard } from "./NumbersCard";
import { SkillsCard } from "./SkillsCard";
import { UnderWay } from "./UnderWay";

export function DashboardPage({ period }: { period: Period }) {
  const navigate = useNavigate();
  const state = useQuery({ ...dashboardQuery(period), placeholderData: (earlier) => earlier });
  const { issues, materials, refreshIssues, askAgain } = useArrivals(period);
  const isAway = useSocketState() === "lost";
  useRefresh(["session.*"], LEARNING);
  useCommands(
    "Dashboard",
    useMemo(() => [{ name: "Look for issues again", run: refreshIssues }], []),
  );

  return (
    <Page title="Dashboard" lead="Where you stand, what fits you next, and what to practise.">
      <CoachTabs />
      <div className="space-y-4">
        {isAway && (
          <Notice tone="warn">The connection is lost. What is missing arrives when it is back.</Notice>
        )}
        <WhenReady query={state} lines={8}>
          {({ stats, inProgressSessions, katas, dreyfus }) => (
            <>
              <UnderWay sessions={inProgressSessions} />
              <NumbersCard
                stats={stats}
                period={period}
                onPeriod={(chosen) =>
                  navigate({ to: "/coach/dashboard", search: { period: chosen }, replace: true })
                }
              />
              <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
                <div className="space-y-4">
                  <IssuesCard
                    part={issues}
                    isUnderWay={inProgressSessions.length > 0}
                    onRefresh={refreshIssues}
                  />
                  <MaterialsCard part={materials} onRetry={askAgain} />
                </div>
                <div className="space-y-4">
                  <SkillsCard assessed={dreyfus} />
                  <KatasCard katas={katas} />
                  <GapsCard />
                </div>
              </div>
            </>
          )}
        </WhenReady>
      </div>
    </Page>
  );
}
