import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import { failureOfQuery } from "@/api/changes";
import type { ChangeView, FailureView } from "@/api/schema";
import { Badge } from "@/components/Badge";
import { buttonClass } from "@/components/Button";
import { Card } from "@/components/Card";
import { Empty, WhenReady } from "@/components/States";
import { Time } from "@/components/Time";
import { plural } from "@/lib/words";

/** The failing test that the change is to mend. */
export function FailurePanel({ change }: { change: ChangeView }) {
  const failure = useQuery(failureOfQuery(change.project_id, change.fingerprint ?? ""));
  return (
    <WhenReady query={failure} lines={5}>
      {(data) =>
        data ? (
          <Failure failure={data} />
        ) : (
          <Card>
            <Empty title="The failing test is not known any more.">
              The change came from one, but the board has no record of it.
            </Empty>
          </Card>
        )
      }
    </WhenReady>
  );
}

function Failure({ failure }: { failure: FailureView }) {
  return (
    <Card
      title={failure.test_name}
      note={
        <Link to="/board/errors/$id" params={{ id: failure.id }} className={buttonClass()}>
          All about this failure
        </Link>
      }
    >
      <div className="space-y-3 text-sm">
        <p className="flex flex-wrap items-center gap-2 text-muted">
          <Badge tone={failure.is_failing ? "bad" : "good"}>{failure.is_failing ? "failing" : "green"}</Badge>
          <Badge>{failure.classification.toLowerCase()}</Badge>
          met {plural(failure.occurrence_count, "time")}, last <Time at={failure.last_seen_at} />
          {failure.file && (
            <code className="font-mono break-all">
              {failure.file}
              {failure.line !== null && `:${failure.line}`}
            </code>
          )}
        </p>
        <pre
          tabIndex={0}
          className="max-h-80 overflow-auto rounded-md bg-sunken p-3 font-mono whitespace-pre-wrap"
        >
          {failure.error_message}
        </pre>
        {failure.stack_trace && (
          <details>
            <summary className="text-accent">Stack</summary>
            <pre tabIndex={0} className="mt-2 max-h-80 overflow-auto rounded-md bg-sunken p-3 font-mono">
              {failure.stack_trace}
            </pre>
          </details>
        )}
      </div>
    </Card>
  );
}
