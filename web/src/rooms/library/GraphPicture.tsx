import type { EChartsOption } from "echarts";
import { useMemo } from "react";

import type { EdgeKind, Hops } from "@/api/schema";
import { Chart } from "@/components/Chart";
import { useIsDark } from "@/lib/theme";

import { draw, frame } from "./graph";
import { EDGES } from "./wording";

type Props = { hops: Hops; onOpen: (ref: string) => void };

/** The neighbourhood as a picture; the list below says the same in words. */
export function GraphPicture({ hops, onOpen }: Props) {
  const isDark = useIsDark();
  const option = useMemo(() => picture(hops), [hops, isDark]);
  return (
    <>
      <Legend />
      <Chart
        label={`What ${hops.start.ref} leads to; the list below has the same`}
        option={option}
        height={380}
        onClick={({ data }) => {
          const name = (data as { name?: string } | undefined)?.name;
          if (name && name !== hops.start.ref) onOpen(name);
        }}
      />
    </>
  );
}

function picture(hops: Hops): EChartsOption {
  const styles = getComputedStyle(document.documentElement);
  const colour = (name: string) => styles.getPropertyValue(name).trim();
  const breadth = matchMedia("(max-width: 767px)").matches ? 0.8 : 1.7;
  const drawing = draw(hops, breadth);
  const { places, lines } = drawing;
  const isCrowded = places.length > 24;
  return {
    tooltip: {},
    series: [
      {
        type: "graph",
        layout: "none",
        roam: true,
        left: "center",
        top: 24,
        bottom: 36,
        edgeSymbol: ["none", "arrow"],
        edgeSymbolSize: 7,
        label: {
          show: true,
          position: "bottom",
          color: colour("--ink"),
          backgroundColor: colour("--surface"),
          padding: [1, 3],
          fontSize: isCrowded ? 10 : 12,
          width: 130,
          overflow: "truncate",
        },
        labelLayout: { hideOverlap: true },
        data: [
          ...places.map(({ ref, x, y, ring, score }) => ({
            name: ref,
            x,
            y,
            symbolSize: ring === 0 ? 26 : 10 + 10 * score,
            itemStyle: { color: colour(ring === 0 ? "--accent" : "--line-strong") },
            tooltip: { formatter: ring === 0 ? ref : `${ref}, score ${score.toFixed(2)}` },
          })),
          ...frame(drawing, breadth).map((corner) => ({ ...corner, symbolSize: 0, label: { show: false } })),
        ],
        links: lines.map(({ from, to, kind, weight }) => ({
          source: from,
          target: to,
          tooltip: { formatter: `${from} ${EDGES[kind].forwards} ${to} (${weight.toFixed(2)})` },
          lineStyle: {
            color: colour(EDGES[kind].colour),
            type: EDGES[kind].dash,
            width: 1 + 2.5 * weight,
            opacity: 0.9,
          },
        })),
      },
    ],
  };
}

const DASHES = { solid: undefined, dashed: "6 4", dotted: "2 3" };

function Legend() {
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-1 text-sm text-muted">
      {(Object.keys(EDGES) as EdgeKind[]).map((kind) => {
        const { name, colour, dash } = EDGES[kind];
        return (
          <li key={kind} className="flex items-center gap-1.5">
            <svg aria-hidden="true" width="28" height="6">
              <line
                x1="0"
                x2="28"
                y1="3"
                y2="3"
                stroke={`var(${colour})`}
                strokeWidth="3"
                strokeDasharray={DASHES[dash]}
              />
            </svg>
            {name}
          </li>
        );
      })}
      <li>A thicker line is a stronger link.</li>
    </ul>
  );
}
