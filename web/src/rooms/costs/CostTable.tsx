import type { Totals } from "@/api/schema";
import { count, money } from "@/lib/words";

export type Row = { name: string; note?: string; totals: Totals };

const NUMBER = "px-2 py-1.5 text-right tabular-nums";

export function CostTable({
  caption,
  first,
  rows,
}: {
  caption: string;
  first: string;
  rows: readonly Row[];
}) {
  return (
    <section className="overflow-x-auto" tabIndex={0} aria-label={caption}>
      <table className="w-full text-sm">
        <caption className="sr-only">{caption}</caption>
        <thead className="text-xs text-muted">
          <tr>
            <th scope="col" className="py-1.5 pr-2 text-left font-medium">
              {first}
            </th>
            <th scope="col" className={`${NUMBER} font-medium`}>
              Calls
            </th>
            <th scope="col" className={`${NUMBER} font-medium`}>
              Tokens
            </th>
            <th scope="col" className={`${NUMBER} pr-0 font-medium`}>
              Cost
            </th>
          </tr>
        </thead>
        <tbody className="divide-y border-t">
          {rows.map(({ name, note, totals }) => (
            <tr key={name}>
              <th scope="row" className="py-1.5 pr-2 text-left font-normal break-words">
                {name}
                {note && <span className="text-muted"> · {note}</span>}
              </th>
              <td className={NUMBER}>
                {count(totals.calls)}
                {totals.failures > 0 && <span className="text-bad"> ({count(totals.failures)} failed)</span>}
              </td>
              <td className={NUMBER}>{count(totals.input_tokens + totals.output_tokens)}</td>
              <td className={`${NUMBER} pr-0`}>{money(totals.cost)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
