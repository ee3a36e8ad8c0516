import { Link } from "@tanstack/react-router";

import type { Overlap } from "@/api/schema";
import { Badge } from "@/components/Badge";
import { plain } from "@/lib/words";

import { stateOf } from "./lifecycle";

type Props = { project: string; overlaps: readonly Overlap[] };

export function OverlapList({ project, overlaps }: Props) {
  return (
    <ul className="divide-y text-sm">
      {overlaps.map(({ change_id, title, status, requirements, named }) => (
        <li key={change_id} className="space-y-1 py-2">
          <p className="flex flex-wrap items-center gap-2">
            <Link
              to="/board/changes/$id"
              params={{ id: change_id }}
              search={{ project }}
              className="font-medium text-accent underline underline-offset-2"
            >
              {title}
            </Link>
            <Badge tone={stateOf(status).tone}>{plain(status)}</Badge>
          </p>
          {requirements.length > 0 && (
            <p className="text-muted">
              Both change{" "}
              {requirements.map((requirement, index) => (
                <span key={requirement}>
                  {index > 0 && ", "}
                  <code className="font-mono break-words">{requirement}</code>
                </span>
              ))}
              .
            </p>
          )}
          {named && <p className="text-muted">One of the two names the other.</p>}
        </li>
      ))}
    </ul>
  );
}
