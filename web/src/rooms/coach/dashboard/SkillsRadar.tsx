import type { EChartsOption } from "echarts";
import { useMemo } from "react";

import type { SkillPoint } from "@/api/schema";
import { Chart } from "@/components/Chart";
import { useIsDark } from "@/lib/theme";

export function SkillsRadar({ points }: { points: readonly SkillPoint[] }) {
  const isDark = useIsDark();
  const option = useMemo(() => drawn(points), [points, isDark]);
  return <Chart label="Radar of your skills; the list below has the same" option={option} height={260} />;
}

function drawn(points: readonly SkillPoint[]): EChartsOption {
  const colours = getComputedStyle(document.documentElement);
  const line = { color: colours.getPropertyValue("--line") };
  return {
    radar: {
      indicator: points.map(({ name }) => ({ name, max: 1 })),
      radius: "62%",
      axisName: { color: colours.getPropertyValue("--muted"), width: 90, overflow: "break" },
      splitNumber: 5,
      splitArea: { show: false },
      splitLine: { lineStyle: line },
      axisLine: { lineStyle: line },
    },
    series: [
      {
        type: "radar",
        areaStyle: { opacity: 0.2 },
        data: [{ value: points.map(({ score }) => score), name: "Skills" }],
      },
    ],
  };
}
