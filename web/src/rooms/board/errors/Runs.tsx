import type { BoardOutcome, RunView } from "@/api/schema";
import { Badge, type Tone } from "@/components/Badge";
import { Card } from "@/components/Card";
import { Time } from "@/components/Time";
import { duration, plain, plural } from "@/lib/words";

const TONES: Record<BoardOutcome, Tone> = {
  passed: "good",
  failed: "bad",
  flaked: "warn",
  timed_out: "bad",
  skipped: "neutral",
};

/** The last runs of the failure's test, the newest first. */
export function Runs({ runs }: { runs: readonly RunView[] }) {
  const red = runs.filter(({ outcome }) => outcome === "failed" || outcome === "timed_out").length;
  return (
    <Card title="Last runs" note={runs.length > 0 && `${red} of ${plural(runs.length, "run")} failed`}>
      {runs.length === 0 ? (
        <p className="text-sm text-muted">No runs are kept.</p>
      ) : (
        <ol className="max-h-72 divide-y overflow-y-auto text-sm" tabIndex={0} aria-label="Last runs">
          {runs.map((run) => (
            <li key={run.report_id} className="flex flex-wrap items-center justify-between gap-x-4 py-1.5">
              <span className="flex items-center gap-2">
                <Badge tone={TONES[run.outcome]}>{plain(run.outcome)}</Badge>
                {run.same_error && <span className="text-muted">with this error</span>}
              </span>
              <span className="flex gap-3 text-muted">
                {run.duration_ms !== null && <span>{duration(run.duration_ms)}</span>}
                <Time at={run.reported_at} />
              </span>
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}
