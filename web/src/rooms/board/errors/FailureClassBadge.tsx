import type { FailureClass } from "@/api/schema";
import { Badge, type Tone } from "@/components/Badge";

export const CLASS: Record<FailureClass, { tone: Tone; means: string }> = {
  PERSISTENT: { tone: "bad", means: "failed five times in a row or more" },
  RECURRING: { tone: "warn", means: "met three times or more" },
  FLAKY: { tone: "info", means: "passes and fails in turn" },
  NEW: { tone: "neutral", means: "met once or twice" },
};

export function FailureClassBadge({ name }: { name: FailureClass }) {
  const { tone, means } = CLASS[name];
  return (
    <Badge tone={tone} title={means}>
      {name.toLowerCase()}
    </Badge>
  );
}
