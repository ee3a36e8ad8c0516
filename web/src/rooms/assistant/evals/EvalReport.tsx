import type { AssistantReport } from "@/api/schema";
import { Notice } from "@/components/States";
import { money, percent, plain, plural } from "@/lib/words";

import { CaseResults } from "./CaseResults";

export function EvalReport({ report }: { report: AssistantReport }) {
  const { variants, results, skipped } = report;
  return (
    <div className="space-y-4">
      {skipped.length > 0 && <Notice>Left out: {skipped.map(reasonOf).join("; ")}</Notice>}
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
                <td className="min-w-32 py-1 pr-4 tabular-nums">
                  {score === null ? "–" : percent(score)}
                  <div aria-hidden className="h-1.5 rounded bg-sunken">
                    <div className="h-full rounded bg-accent" style={{ width: `${(score ?? 0) * 100}%` }} />
                  </div>
                </td>
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
