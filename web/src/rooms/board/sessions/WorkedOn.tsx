import type { Lease, Work } from "@/api/schema";

import { clockTime } from "../agents";
import { ChangeLink } from "../ChangeLink";
import { StatusBadge } from "../StatusBadge";

/** The change in an agent's hands, and until when it is lent. */
export function WorkedOn({ work, lease }: { work: Work | null; lease: Lease | null | undefined }) {
  if (!work) return <p className="text-muted">Holds no work</p>;
  return (
    <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
      <span>Works on</span>
      <ChangeLink id={work.id} project={work.project_id}>
        {work.title}
      </ChangeLink>
      <StatusBadge status={work.status} />
      <span className="text-muted">
        {work.tasks_done} of {work.tasks_total} tasks
      </span>
      {lease && (
        <span className="text-muted" title="Each heartbeat extends it by ten minutes.">
          lease until {clockTime(lease.expires_at)}
        </span>
      )}
    </p>
  );
}
