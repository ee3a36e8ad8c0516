import { useMemo } from "react";

import type { DayCosts } from "@/api/schema";
import { Chart, type ChartProps } from "@/components/Chart";
import { money } from "@/lib/words";

type Props = { days: readonly DayCosts[]; rooms: readonly string[] };

/** Where nothing cost anything, as with the offline model, the calls are shown instead. */
export function DayChart({ days, rooms }: Props) {
  const isFree = days.every(({ total }) => total.cost === 0);
  const option = useMemo((): ChartProps["option"] => {
    const value = (number: number) => (isFree ? String(number) : money(number));
    return {
      grid: { left: 8, right: 8, top: 36, bottom: 8, containLabel: true },
      legend: { top: 0 },
      tooltip: { trigger: "axis", valueFormatter: (number) => value(Number(number)) },
      xAxis: { type: "category", data: days.map(({ day }) => day.slice(5)) },
      yAxis: { type: "value", minInterval: isFree ? 1 : undefined, axisLabel: { formatter: value } },
      series: rooms.map((room) => ({
        type: "bar",
        name: room,
        stack: "rooms",
        barMaxWidth: 32,
        data: days.map(({ by_room }) => by_room[room]?.[isFree ? "calls" : "cost"] ?? 0),
      })),
    };
  }, [days, rooms, isFree]);
  return (
    <>
      {isFree && <p className="mb-2 text-sm text-muted">Nothing cost anything, so these are calls.</p>}
      <Chart label={`${isFree ? "Model calls" : "Costs"} of each day, by room`} option={option} />
    </>
  );
}
