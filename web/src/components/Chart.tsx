import type { EChartsOption } from "echarts";
import { lazy, Suspense } from "react";

import { Loading } from "./States";
import { loadWithRetries } from "@/lib/retry";

const Drawn = lazy(() => loadWithRetries(() => import("./ChartDrawn")));

export type ChartProps = {
  /** What the picture shows, for those who do not see it; put the numbers in a table beside it. */
  label: string;
  option: EChartsOption;
  height?: number;
  onClick?: (data: { seriesIndex?: number; dataIndex?: number; data?: unknown }) => void;
};

/** A picture drawn by ECharts in the colours of the theme; the library is loaded when first needed. */
export function Chart(props: ChartProps) {
  return (
    <div
      role="img"
      aria-label={props.label}
      className="overflow-hidden"
      style={{ height: props.height ?? 280 }}
    >
      <Suspense fallback={<Loading lines={4} />}>
        <Drawn {...props} />
      </Suspense>
    </div>
  );
}
