import type { AssistantReport } from "@/api/schema";
import { Chart } from "@/components/Chart";
import { Notice } from "@/components/States";
import { money, percent, plain, plural } from "@/lib/words";

import { CaseResults } from "./CaseResults";

export function EvalReport({ report }: { report: AssistantReport }) {
  const { variants, results, skipped } = report;
  return (
    <div className="space-y-4">
      {skipped.length > 0 && <Notice>Left out: {skipped.map(reasonOf).join("; ")}</Notice>}
      {variants.length > 1 && (
        <Chart
          label="Score of each variant; the numbers are in the table below"
          height={180}
          option={{
            grid: { left: 8, right: 16, top: 8, bottom: 8, containLabel: true },
            xAxis: { type: "value", min: 0, max: 1 },
            yAxis: { type: "category", data: variants.map(({ name }) => name), inverse: true },
            series: [{ type: "bar", data: variants.map(({ score }) => score ?? 0), barMaxWidth: 24 }],
          }}
        />
      )}
      <div className="overflow-x-auto" tabIndex={0}>
        <table className="w-full text-sm">
          <caption className="sr-only">Variants</caption>
          <thead>
            <tr className="text-left text-muted">
              <th className="py-1 pr-4 font-normal">Variant</th>
              <th className="py-1 pr-4 font-normal">Cases</th>
              <th className="py-1 pr-4 font-normal">Score</th>
              <th className="py-1 pr-4 font-normal">Against the baseline</th>
              <th className="py-1 font-normal">Cost</th>
            </tr>
          </thead>
          <tbody>
            {variants.map(({ name, cases, score, score_delta, cost }) => (
              <tr key={name} className="border-t">
                <th scope="row" className="py-1 pr-4 text-left font-medium">
                  {plain(name)}
                </th>
                <td className="py-1 pr-4 tabular-nums">{cases}</td>
                <td className="py-1 pr-4 tabular-nums">{score === null ? "–" : percent(score)}</td>
                <td className="py-1 pr-4 tabular-nums">{delta(score_delta)}</td>
                <td className="py-1 tabular-nums">{money(cost)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <h3 className="font-medium">{plural(results.length, "case")}</h3>
      <CaseResults results={results} />
    </div>
  );
}

/** `judged: skipped: no model is there` without what the reader need not know. */
function reasonOf(skipped: string): string {
  return skipped.replace(/^\w+: (skipped: )?/, "");
}

function delta(change: number | null | undefined): string {
  if (change === null || change === undefined) return "–";
  return `${change > 0 ? "+" : ""}${Math.round(change * 100)} points`;
}
