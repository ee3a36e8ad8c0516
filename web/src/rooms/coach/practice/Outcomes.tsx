import { Check, CircleHelp, X } from "lucide-react";

/** `isGood` is null where nobody could tell. */
type Outcome = { name: string; isGood: boolean | null; problem?: string | null };

export function Outcomes({ title, outcomes }: { title: string; outcomes: readonly Outcome[] }) {
  return (
    <section>
      <h3 className="text-sm font-semibold">{title}</h3>
      <ul aria-label={title} className="mt-1 space-y-1 text-sm">
        {outcomes.map((outcome, index) => (
          <Line key={index} {...outcome} />
        ))}
      </ul>
    </section>
  );
}

function Line({ name, isGood, problem }: Outcome) {
  const [Icon, colour, word] = look(isGood);
  return (
    <li className="flex items-start gap-2">
      <Icon aria-hidden className={`mt-1 size-4 shrink-0 ${colour}`} />
      <div className="min-w-0">
        <span className="sr-only">{word}: </span>
        {name}
        {problem && <p className="font-mono text-xs break-words whitespace-pre-wrap text-muted">{problem}</p>}
      </div>
    </li>
  );
}

function look(isGood: boolean | null) {
  if (isGood === null) return [CircleHelp, "text-muted", "a reader decides"] as const;
  return isGood ? ([Check, "text-good", "passes"] as const) : ([X, "text-bad", "fails"] as const);
}
