import type { Bin } from "@/api/schema";
import { percent } from "@/lib/words";

const CLOSE = 0.05;

/** What the plot shows, for those who do not see it. */
export function inWords(curve: readonly Bin[]): string {
  const all = curve.reduce((sum, { count }) => sum + count, 0);
  const said = mean(curve, ({ mean_confidence }) => mean_confidence, all);
  const happened = mean(curve, ({ confirmed }) => confirmed, all);
  const told = `On average ${percent(said)} was said, and ${percent(happened)} came true`;
  if (Math.abs(said - happened) < CLOSE) return `${told}: well calibrated.`;
  return `${told}: ${said > happened ? "surer than things turned out" : "things turned out better than thought"}.`;
}

function mean(curve: readonly Bin[], value: (bin: Bin) => number, all: number): number {
  return curve.reduce((sum, bin) => sum + value(bin) * bin.count, 0) / all;
}
