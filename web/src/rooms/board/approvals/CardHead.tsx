import type { ChangeSummary } from "@/api/schema";
import { Time } from "@/components/Time";
import { plural } from "@/lib/words";

import { ChangeLink } from "../ChangeLink";
import { Priority } from "../Priority";
import { ProjectName } from "../ProjectName";

/** What a change is about, before any of its text. */
export function CardHead({ change }: { change: ChangeSummary }) {
  return (
    <header className="mb-2 flex flex-wrap items-start justify-between gap-x-4 gap-y-1">
      <div className="min-w-0">
        <h3>
          <ChangeLink id={change.id} project={change.project_id}>
            {change.title}
          </ChangeLink>
        </h3>
        <p className="flex flex-wrap gap-x-3 text-sm text-muted">
          <ProjectName id={change.project_id} />
          <code className="font-mono text-xs leading-6">{change.id}</code>
          <span>
            {change.tasks_done} of {plural(change.tasks_total, "task")} done
          </span>
          {change.touches.length > 0 && <span>touches {change.touches.join(", ")}</span>}
          {change.fingerprint && <span>from a failing test</span>}
          <Time at={change.updated_at} />
        </p>
      </div>
      <Priority value={change.priority} />
    </header>
  );
}
