import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import { recentSessionsQuery, resumeSession } from "@/api/coaching";
import { Button } from "@/components/Button";
import { Time } from "@/components/Time";
import { toastError } from "@/components/Toasts";

const SHOWN = 4;

/** Sessions that were set aside can be gone on with. */
export function EarlierSessions() {
  const sessions = useQuery(recentSessionsQuery).data?.sessions ?? [];
  const resume = useMutation({ mutationFn: resumeSession, onError: toastError });
  const open = sessions.filter(({ status }) => status !== "completed").slice(0, SHOWN);
  if (open.length === 0) return null;

  return (
    <section aria-labelledby="earlier-sessions" className="space-y-2">
      <h2 id="earlier-sessions" className="font-semibold">
        Or go on where you stopped
      </h2>
      <ul className="space-y-1">
        {open.map(({ id, issueTitle, startedAt, phasesCompleted, phasesTotal }) => (
          <li key={id} className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
            <Link to="/coach/sessions/$id" params={{ id }} className="min-w-0 break-words hover:underline">
              {issueTitle ?? "A session"}
            </Link>
            <span className="text-muted">
              <Time at={startedAt} />
              {phasesTotal > 0 && `, ${phasesCompleted} of ${phasesTotal} phases done`}
            </span>
            <Button
              kind="quiet"
              className="ml-auto"
              isBusy={resume.isPending && resume.variables === id}
              onClick={() => resume.mutate(id)}
            >
              Resume
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
