import { BarChart, GraphChart, LineChart, RadarChart, ScatterChart } from "echarts/charts";
import {
  DataZoomComponent,
  GridComponent,
  LegendComponent,
  MarkLineComponent,
  RadarComponent,
  TooltipComponent,
} from "echarts/components";
import { init, use } from "echarts/core";
import { CanvasRenderer } from "echarts/renderers";
import { useEffect, useEffectEvent, useRef } from "react";

import { useIsDark } from "@/lib/theme";

import type { ChartProps } from "./Chart";

use([
  BarChart,
  GraphChart,
  LineChart,
  RadarChart,
  ScatterChart,
  DataZoomComponent,
  GridComponent,
  LegendComponent,
  MarkLineComponent,
  RadarComponent,
  TooltipComponent,
  CanvasRenderer,
]);

/** Told apart by those who see no red or green too; each on both canvases. */
const LIGHT = ["#9a3d12", "#1f5a8f", "#1c6b3c", "#7a4a9c", "#855006", "#0f6b6b", "#a92369", "#55606b"];
const DARK = ["#f0a27a", "#8fc0ee", "#7ecb9b", "#c9a3e6", "#e9bd6a", "#74cfcf", "#f29cc4", "#b3bec9"];

export default function ChartDrawn({ option, height = 280, onClick }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<ReturnType<typeof init> | null>(null);
  const isDark = useIsDark();
  const clicked = useEffectEvent((told: unknown) =>
    onClick?.(told as Parameters<NonNullable<typeof onClick>>[0]),
  );

  useEffect(() => {
    if (!place.current) return;
    const drawn = init(place.current);
    chart.current = drawn;
    drawn.on("click", (told) => clicked(told));
    const watcher = new ResizeObserver(() => drawn.resize());
    watcher.observe(place.current);
    return () => {
      watcher.disconnect();
      drawn.dispose();
      chart.current = null;
    };
  }, []);

  useEffect(() => {
    const colours = getComputedStyle(document.documentElement);
    const ink = colours.getPropertyValue("--ink");
    const surface = colours.getPropertyValue("--surface");
    const line = colours.getPropertyValue("--line");
    const muted = colours.getPropertyValue("--muted");
    const axis = {
      axisLine: { lineStyle: { color: muted } },
      axisLabel: { color: muted },
      splitLine: { lineStyle: { color: line } },
    };
    chart.current?.setTheme({
      categoryAxis: { ...axis, splitLine: { show: false } },
      valueAxis: axis,
      legend: { textStyle: { color: ink } },
    });
    const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    chart.current?.setOption(
      {
        color: isDark ? DARK : LIGHT,
        animation: !isStill,
        textStyle: { color: ink, fontFamily: "inherit" },
        tooltip: {
          backgroundColor: surface,
          borderColor: line,
          textStyle: { color: ink },
        },
        ...option,
      },
      { notMerge: true },
    );
  }, [option, isDark]);

  return <div ref={place} style={{ height }} />;
}
