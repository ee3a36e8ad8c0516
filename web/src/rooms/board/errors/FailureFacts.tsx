import type { FailureView } from "@/api/schema";
import { Card } from "@/components/Card";
import { Time } from "@/components/Time";
import { plural } from "@/lib/words";
import { Fact } from "../Fact";
import { CLASS } from "./FailureClassBadge";

export function FailureFacts({ failure }: { failure: FailureView }) {
  const where = failure.line === null ? failure.file : `${failure.file}:${failure.line}`;
  return (
    <Card title="Details">
      <dl className="grid grid-cols-2 gap-x-6 gap-y-3 text-sm">
        <Fact name="Class">
          {failure.classification.toLowerCase()}: {CLASS[failure.classification].means}
        </Fact>
        <Fact name="Met">
          {plural(failure.occurrence_count, "time")}, {failure.consecutive_failures} in a row
        </Fact>
        <Fact name="First seen">
          <Time at={failure.first_seen_at} />
        </Fact>
        <Fact name="Last seen">
          <Time at={failure.last_seen_at} />
        </Fact>
        {failure.passed_at && (
          <Fact name="Passed">
            <Time at={failure.passed_at} />
          </Fact>
        )}
        {failure.file && (
          <Fact name="Where">
            <code className="font-mono text-xs break-all">{where}</code>
          </Fact>
        )}
        <Fact name="Test">
          <code className="font-mono text-xs break-all">{failure.test_id}</code>
        </Fact>
      </dl>
    </Card>
  );
}
