import { Link } from "@tanstack/react-router";
import { Bug, FileDiff } from "lucide-react";

import type { WorkItem } from "@/api/schema";
import { Time } from "@/components/Time";

import { ChangeLink } from "../ChangeLink";
import { FailureClassBadge } from "../errors/FailureClassBadge";
import { LeaseNote } from "../LeaseNote";
import { Priority } from "../Priority";
import { ProjectName } from "../ProjectName";
import { StatusBadge } from "../StatusBadge";
import { STATUS } from "../statuses";

/** One thing to do, planned or broken. */
export function WorkRow({ item }: { item: WorkItem }) {
  const isChange = item.kind === "change";
  const isLeased = item.status === "assigned" || item.status === "in_progress";
  const Icon = isChange ? FileDiff : Bug;
  return (
    <article className="flex flex-wrap items-center gap-x-4 gap-y-1 px-3 py-2.5 sm:flex-nowrap">
      <Icon aria-label={isChange ? "Change" : "Failing test"} className="size-4 shrink-0 text-muted" />
      <div className="min-w-0 grow basis-3/4 sm:basis-0">
        <WorkLink item={item} />
        <p className="flex flex-wrap gap-x-3 text-sm text-muted">
          <ProjectName id={item.project_id} />
          {item.assigned_session_id && isLeased ? (
            <LeaseNote sessionId={item.assigned_session_id} />
          ) : (
            <span>{STATUS[item.status].means}</span>
          )}
          {item.tasks_total ? (
            <span>
              {item.tasks_done} of {item.tasks_total} tasks
            </span>
          ) : null}
          <Time at={item.active_at} />
        </p>
      </div>
      <div className="flex shrink-0 flex-wrap gap-1.5">
        {item.classification && <FailureClassBadge name={item.classification} />}
        <Priority value={item.priority} />
        <StatusBadge status={item.status} />
      </div>
    </article>
  );
}

function WorkLink({ item }: { item: WorkItem }) {
  return item.kind === "change" ? (
    <ChangeLink id={item.id} project={item.project_id}>
      {item.title}
    </ChangeLink>
  ) : (
    <Link
      to="/board/errors/$id"
      params={{ id: item.id }}
      className="font-medium break-words hover:text-accent hover:underline"
    >
      {item.title}
    </Link>
  );
}
