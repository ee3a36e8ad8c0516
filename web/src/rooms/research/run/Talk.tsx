import type { RunState, Utterance } from "@/api/schema";
import { Markdown } from "@/components/Markdown";
import { Time } from "@/components/Time";
import { classes } from "@/lib/classes";

/** What was said at the pauses so far; what is asked right now stands above with its answers. */
export function Talk({ run }: { run: RunState }) {
  const said = run.waiting_for ? run.talk.slice(0, -1) : run.talk;
  if (said.length === 0) return null;
  return (
    <details className="rounded-lg border bg-surface p-4" open={!!run.waiting_for}>
      <summary className="font-semibold">What you talked about</summary>
      <ol className="mt-3 space-y-3">
        {said.map((utterance) => (
          <Said key={utterance.at} utterance={utterance} />
        ))}
      </ol>
    </details>
  );
}

function Said({ utterance }: { utterance: Utterance }) {
  const isMine = utterance.by === "person";
  return (
    <li
      className={classes(
        "max-w-prose rounded-md p-3 text-sm",
        isMine ? "ml-auto bg-accent-soft" : "bg-sunken",
      )}
    >
      <p className="mb-1 text-xs text-muted">
        {isMine ? "You" : "The research"} · <Time at={utterance.at} />
      </p>
      <Markdown text={utterance.text} />
    </li>
  );
}
