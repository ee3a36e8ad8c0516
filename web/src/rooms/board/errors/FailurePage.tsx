import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import { failureQuery } from "@/api/board";
import type { FailureView } from "@/api/schema";
import { Badge } from "@/components/Badge";
import { Card } from "@/components/Card";
import { Page } from "@/components/Page";
import { WhenReady } from "@/components/States";

import { Priority } from "../Priority";
import { useBoardRefresh } from "../useBoardRefresh";
import { Assigned } from "./Assigned";
import { Classified } from "./Classified";
import { FailureClassBadge } from "./FailureClassBadge";
import { FailureFacts } from "./FailureFacts";
import { FixButtons } from "./FixButtons";
import { Runs } from "./Runs";
import { TriageForm } from "./TriageForm";

/** One failing test: what is known of it, and what becomes of it. */
export function FailurePage({ id }: { id: string }) {
  useBoardRefresh();
  const failure = useQuery(failureQuery(id));
  return (
    <Page
      title={failure.data?.test_name ?? "Failing test"}
      lead={
        <Link to="/board/errors" className="text-accent underline">
          All failing tests
        </Link>
      }
      actions={failure.data && <State failure={failure.data} />}
    >
      <WhenReady query={failure}>{(known) => <Known failure={known} />}</WhenReady>
    </Page>
  );
}

function State({ failure }: { failure: FailureView }) {
  return (
    <>
      <Badge tone={failure.is_failing ? "bad" : "good"}>{failure.is_failing ? "failing" : "green"}</Badge>
      <FailureClassBadge name={failure.classification} />
      <Priority value={failure.priority} />
    </>
  );
}

function Known({ failure }: { failure: FailureView }) {
  return (
    <div className="grid gap-4 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
      <div className="min-w-0 space-y-4">
        <Card title="What went wrong">
          <pre
            tabIndex={0}
            className="overflow-x-auto rounded-md bg-sunken p-3 font-mono text-xs whitespace-pre-wrap"
          >
            {failure.error_message}
          </pre>
          {failure.stack_trace && (
            <details className="mt-3">
              <summary className="text-sm font-medium">Stack</summary>
              <pre
                tabIndex={0}
                className="mt-2 max-h-96 overflow-auto rounded-md bg-sunken p-3 font-mono text-xs"
              >
                {failure.stack_trace}
              </pre>
            </details>
          )}
        </Card>
        <FailureFacts failure={failure} />
        <Runs runs={failure.runs} />
      </div>
      <div className="space-y-4">
        <Card title="The fix">
          <FixButtons failure={failure} />
          <p className="mt-2 text-sm text-muted">
            Every fix goes through a change, so that it can be followed. <em>Fix now</em> proposes one and
            approves it at once; <em>Create spec</em> lets you read it first.
          </p>
        </Card>
        <TriageForm key={`${failure.decision} ${failure.priority}`} failure={failure} />
        <Classified failure={failure} />
        <Assigned failure={failure} />
      </div>
    </div>
  );
}
