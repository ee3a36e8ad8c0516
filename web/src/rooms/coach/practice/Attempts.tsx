import type { AttemptView } from "@/api/schema";
import { Badge } from "@/components/Badge";
import { Button } from "@/components/Button";
import { Card } from "@/components/Card";
import { Markdown } from "@/components/Markdown";

type Props = { attempts: readonly AttemptView[]; onUse: (code: string) => void };

/** What was handed in before, the newest first. */
export function Attempts({ attempts, onUse }: Props) {
  if (attempts.length === 0) return null;
  const numbered = attempts.map((attempt, index) => ({ attempt, number: index + 1 })).reverse();
  return (
    <Card title="Earlier attempts">
      <ol aria-label="Earlier attempts" className="divide-y">
        {numbered.map(({ attempt, number }) => (
          <li key={number} className="py-2">
            <Attempt attempt={attempt} number={number} onUse={() => onUse(attempt.code)} />
          </li>
        ))}
      </ol>
    </Card>
  );
}

type AttemptProps = { attempt: AttemptView; number: number; onUse: () => void };

function Attempt({ attempt, number, onUse }: AttemptProps) {
  const { constraints = [] } = attempt;
  return (
    <details>
      <summary className="text-sm">
        <span className="font-medium">Attempt {number}</span>{" "}
        <Badge tone={attempt.passed ? "good" : "warn"}>{attempt.passed ? "passed" : "not yet"}</Badge>{" "}
        <span className="text-muted">
          {attempt.level != null && `level ${attempt.level}`}
          {constraints.length > 0 && ` · ${constraints.join(", ")}`}
        </span>
      </summary>
      <div className="mt-2 space-y-3">
        <pre tabIndex={0} className="max-h-80 overflow-auto rounded-md bg-sunken p-3 font-mono text-sm">
          {attempt.code}
        </pre>
        {attempt.review && <Markdown text={attempt.review} className="text-sm" />}
        <Button onClick={onUse} aria-label={`Put into the editor: attempt ${number}`}>
          Put into the editor
        </Button>
      </div>
    </details>
  );
}
