import type { EChartsOption } from "echarts";
import { useMemo } from "react";

import type { JournalMap, JournalTier, MapPoint } from "@/api/schema";
import { Chart } from "@/components/Chart";
import { plural } from "@/lib/words";

import { nameOf } from "./clusterNames";
import { OUTCOMES } from "./words";

const SIZES: Record<JournalTier, number> = { gold: 13, silver: 10, bronze: 8, abandoned: 6 };
const FAINT = 0.25;

type Props = { map: JournalMap; chosen?: string; onChoose: (clusterId: string | undefined) => void };

/** Every experience as a point: colour by cluster, size by how far it is trusted. */
export function ClusterMap({ map, chosen, onChoose }: Props) {
  const option = useMemo(() => drawn(map, chosen), [map, chosen]);
  return (
    <Chart
      label={`A map of ${plural(map.points.length, "experience")} in ${plural(map.count, "cluster")}; the list beside it has the same clusters`}
      height={420}
      option={option}
      onClick={({ data }) =>
        onChoose((data as { point?: MapPoint } | undefined)?.point?.cluster_id ?? undefined)
      }
    />
  );
}

function drawn(map: JournalMap, chosen?: string): EChartsOption {
  const groups = [
    ...map.clusters.map((cluster) => ({ name: nameOf(cluster), id: cluster.cluster_id as string | null })),
    { name: "In none", id: null },
  ];
  return {
    grid: { top: 36, right: 12, bottom: 12, left: 12 },
    legend: { type: "scroll", top: 0 },
    tooltip: {
      confine: true,
      formatter: (hovered) => tip((hovered as unknown as { data: { point: MapPoint } }).data.point),
    },
    xAxis: { show: false, scale: true },
    yAxis: { show: false, scale: true },
    dataZoom: [
      { type: "inside", xAxisIndex: 0, filterMode: "none" },
      { type: "inside", yAxisIndex: 0, filterMode: "none" },
    ],
    series: groups.map(({ name, id }) => ({
      type: "scatter",
      name,
      large: false,
      itemStyle: {
        opacity: chosen && id !== chosen ? FAINT : id === null ? 0.45 : 0.85,
        ...(id === null ? { color: "#8d8377" } : {}),
      },
      data: map.points
        .filter((point) => point.cluster_id === id)
        .map((point) => ({ value: [point.x, point.y], symbolSize: SIZES[point.confidence_tier], point })),
    })),
  };
}

/** An element, not a string: what somebody wrote is never read as HTML. */
function tip(point: MapPoint): HTMLElement {
  const box = document.createElement("div");
  box.style.cssText = "max-width: 18rem; white-space: normal";
  box.textContent = `${point.goal} (${OUTCOMES[point.outcome_status].word})`;
  return box;
}
