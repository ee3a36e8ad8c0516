import { queryOptions } from "@tanstack/react-query";

import { answer, rest } from "./client";

export const COSTS = ["costs"] as const;

/** What the house spent in so many days, today being the last, by the days of this person's clock. */
export function costReportQuery(days: number) {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return queryOptions({
    queryKey: [...COSTS, days, timeZone],
    queryFn: () => answer(rest.GET("/api/costs/report", { params: { query: { days, timezone: timeZone } } })),
    refetchInterval: 60_000,
  });
}
