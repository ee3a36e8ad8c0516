import type { InProgress } from "@/api/schema";
import { Button } from "@/components/Button";
import { Time } from "@/components/Time";
import { titleOf, useResume } from "@/rooms/coach/history/sessions";

/** The session that waits for you, before everything else. */
export function UnderWay({ sessions }: { sessions: readonly InProgress[] }) {
  const resume = useResume();
  if (sessions.length === 0) return null;
  return (
    <section aria-label="In progress" className="rounded-lg border border-accent/40 bg-accent-soft p-4">
      <ul className="space-y-3">
        {sessions.map((session) => (
          <li key={session.id} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
            <div className="min-w-0">
              <h2 className="font-semibold break-words">{titleOf(session)}</h2>
              <p className="text-sm">
                Under way, begun <Time at={session.startedAt} />.
              </p>
            </div>
            <Button kind="primary" isBusy={resume.isPending} onClick={() => resume.mutate(session.id)}>
              Go on
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
