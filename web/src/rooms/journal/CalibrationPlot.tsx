import type { EChartsOption } from "echarts";
import { useMemo } from "react";

import type { Bin } from "@/api/schema";
import { Chart } from "@/components/Chart";
import { percent, plural } from "@/lib/words";

/** What was said against what happened; on the dotted line both are the same. */
export function CalibrationPlot({ curve }: { curve: readonly Bin[] }) {
  const option = useMemo(() => drawn(curve), [curve]);
  return (
    <Chart
      label="Confidence against how often it came true; the table has the numbers"
      height={320}
      option={option}
    />
  );
}

function drawn(curve: readonly Bin[]): EChartsOption {
  const most = Math.max(...curve.map(({ count }) => count));
  const share = { min: 0, max: 1, axisLabel: { formatter: (value: number) => percent(value) } };
  return {
    grid: { top: 16, right: 24, bottom: 44, left: 60 },
    tooltip: {
      formatter: (hovered) => {
        const bin = curve[(hovered as { dataIndex: number }).dataIndex];
        return bin
          ? `said ${percent(bin.mean_confidence)}, came true ${percent(bin.confirmed)} (${plural(bin.count, "prediction")})`
          : "";
      },
    },
    xAxis: { type: "value", name: "said", nameLocation: "middle", nameGap: 28, ...share },
    yAxis: { type: "value", name: "came true", nameLocation: "middle", nameGap: 44, ...share },
    series: [
      {
        type: "scatter",
        data: curve.map(({ mean_confidence, confirmed, count }) => ({
          value: [mean_confidence, confirmed],
          symbolSize: 8 + 20 * Math.sqrt(count / most),
        })),
        markLine: {
          silent: true,
          symbol: "none",
          lineStyle: { type: "dotted" },
          data: [[{ coord: [0, 0] }, { coord: [1, 1] }]],
        },
      },
    ],
  };
}
