import { createFileRoute } from "@tanstack/react-router";

import type { Period } from "@/api/schema";
import { DashboardPage } from "@/rooms/coach/dashboard/DashboardPage";

type Search = { period?: Period };

export const Route = createFileRoute("/coach/dashboard")({
  validateSearch: ({ period }: Record<string, unknown>): Search => ({
    period: period === "7d" || period === "30d" ? period : undefined,
  }),
  component: Dashboard,
});

function Dashboard() {
  const { period = "all" } = Route.useSearch();
  return <DashboardPage period={period} />;
}
