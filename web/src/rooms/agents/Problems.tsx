import { AlertTriangle } from "lucide-react";

/** `AGENT.md:3:1: unknown key` is a place and what is wrong there. */
export function atPlace(problem: string): { place: string; message: string } {
  const [, place, message] = problem.match(/^((?:\S*:)?\d+:\d+): ([\s\S]*)$/) ?? [];
  return place && message ? { place, message } : { place: "", message: problem };
}

/** What is wrong with a file that people write, and where. */
export function Problems({ problems, what }: { problems: readonly string[]; what: string }) {
  if (!problems.length) return null;
  return (
    <section
      aria-label={`Problems of ${what}`}
      className="rounded-md border border-bad/40 bg-bad-soft p-3 text-sm text-bad"
    >
      <p className="flex items-center gap-2 font-medium">
        <AlertTriangle aria-hidden className="size-4 shrink-0" />
        It cannot be used until this is put right:
      </p>
      <ul className="mt-1 space-y-1 pl-6">
        {problems.map((problem) => {
          const { place, message } = atPlace(problem);
          return (
            <li key={problem} className="break-words">
              {place && <code className="mr-2 font-mono">{place}</code>}
              {message}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
