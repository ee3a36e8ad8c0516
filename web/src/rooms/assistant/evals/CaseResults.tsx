import { Link } from "@tanstack/react-router";

import type { CaseResult } from "@/api/schema";
import { Badge } from "@/components/Badge";
import { percent, plain } from "@/lib/words";

/** Case by case, with each criterion that it was held against. */
export function CaseResults({ results }: { results: readonly CaseResult[] }) {
  return (
    <ul className="divide-y">
      {results.map((result) => (
        <li key={`${result.case} ${result.variant}`} className="py-2 text-sm">
          <details>
            <summary>
              {result.case} <span className="text-muted">{plain(result.variant)}</span>{" "}
              <Badge tone={toneOf(result.score)}>
                {result.score === null ? "not scored" : percent(result.score)}
              </Badge>
            </summary>
            {result.error && <p className="mt-2 text-bad">{result.error}</p>}
            <ul className="mt-2 space-y-1 border-l-2 pl-3">
              {result.findings.map(({ criterion, kind, score, note }) => (
                <li key={kind + criterion}>
                  {plain(criterion)}: {score === null ? "not asked" : percent(score)}
                  {note && <span className="text-muted"> ({note})</span>}
                </li>
              ))}
            </ul>
            {result.trace_id && (
              <Link
                to="/traces/$id"
                params={{ id: result.trace_id }}
                className="mt-2 inline-block text-accent underline"
              >
                Trace
              </Link>
            )}
          </details>
        </li>
      ))}
    </ul>
  );
}

function toneOf(score: number | null) {
  if (score === null) return "neutral";
  return score >= 0.8 ? "good" : score >= 0.5 ? "warn" : "bad";
}
