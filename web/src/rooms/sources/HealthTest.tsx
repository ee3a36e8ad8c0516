import { useQueryClient } from "@tanstack/react-query";
import { Check as CheckMark, X } from "lucide-react";

import type { SourceCheck, TestReport } from "@/api/schema";
import { sourceToolsQuery, testSource } from "@/api/sources";
import { Button } from "@/components/Button";
import { Card } from "@/components/Card";
import { Notice } from "@/components/States";
import { duration } from "@/lib/words";

import { useSourceAction } from "./useSourceAction";

/** Tries everything from the file to the list of tools, and says what to do next. */
export function HealthTest({ slug, isTrusted }: { slug: string; isTrusted: boolean }) {
  const queries = useQueryClient();
  const testing = useSourceAction(
    () => testSource(slug),
    ({ passed }) => passed && void queries.invalidateQueries({ queryKey: sourceToolsQuery(slug).queryKey }),
  );
  return (
    <Card title="Does it work?">
      <div className="flex flex-wrap items-center gap-3">
        <Button isBusy={testing.isPending} disabled={!isTrusted} onClick={() => testing.mutate(undefined)}>
          Test it
        </Button>
        <p className="text-sm text-muted">
          {isTrusted
            ? "Starts it anew and asks for its tools. It works on one that is off, too."
            : "Nothing of it runs before you have enabled it."}
        </p>
      </div>
      <div aria-live="polite">{testing.data && <Report {...testing.data} />}</div>
    </Card>
  );
}

function Report({ checks, passed, advice = [], duration_ms = 0 }: TestReport) {
  return (
    <div className="mt-4 space-y-3">
      <ol aria-label="Steps of the test" className="space-y-2">
        {checks.map((check) => (
          <Step key={check.name} {...check} />
        ))}
      </ol>
      <Notice tone={passed ? "good" : "warn"}>
        {passed ? "It works." : "It does not work yet."} Tested in {duration(duration_ms)}.{" "}
        {advice.map((each) => (
          <span key={each} className="block">
            {each}
          </span>
        ))}
      </Notice>
    </div>
  );
}

function Step({ name, passed, message }: SourceCheck) {
  const Icon = passed ? CheckMark : X;
  return (
    <li className="flex items-start gap-2 text-sm">
      <Icon aria-hidden className={`mt-0.5 size-4 shrink-0 ${passed ? "text-good" : "text-bad"}`} />
      <span className="min-w-0 break-words">
        <span className="font-medium">
          {name} {passed ? "passed" : "failed"}:
        </span>{" "}
        {message}
      </span>
    </li>
  );
}
