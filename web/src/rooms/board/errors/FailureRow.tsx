import { Link } from "@tanstack/react-router";

import type { FailureSummary } from "@/api/schema";
import { Badge } from "@/components/Badge";
import { Time } from "@/components/Time";
import { plural } from "@/lib/words";

import { Priority } from "../Priority";
import { ProjectName } from "../ProjectName";
import { FailureClassBadge } from "./FailureClassBadge";
import { FixButtons } from "./FixButtons";

export function FailureRow({ failure }: { failure: FailureSummary }) {
  return (
    <article className="flex flex-wrap items-center gap-x-4 gap-y-2 px-3 py-2.5 md:flex-nowrap">
      <div className="min-w-0 grow basis-full md:basis-0">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <Link
            to="/board/errors/$id"
            params={{ id: failure.id }}
            className="font-medium break-words hover:text-accent hover:underline"
          >
            {failure.test_name}
          </Link>
          {!failure.is_failing && <Badge tone="good">green</Badge>}
          <FailureClassBadge name={failure.classification} />
          <Priority value={failure.priority} />
        </p>
        <p className="truncate font-mono text-xs text-muted">{failure.error.split("\n")[0]}</p>
        <p className="flex flex-wrap gap-x-3 text-sm text-muted">
          <ProjectName id={failure.project_id} />
          <span>met {plural(failure.occurrence_count, "time")}</span>
          {failure.consecutive_failures > 1 && <span>{failure.consecutive_failures} in a row</span>}
          <span>
            first <Time at={failure.first_seen_at} />
          </span>
          <span>
            last <Time at={failure.last_seen_at} />
          </span>
        </p>
      </div>
      <div className="shrink-0">
        <FixButtons failure={failure} />
      </div>
    </article>
  );
}
