import { useQuery } from "@tanstack/react-query";
import { appliedQuery } from "@/api/projects";

import { WhenReady } from "@/components/States";
import { Time } from "@/components/Time";

import { ChangeLink } from "../ChangeLink";
import { PerProject } from "./PerProject";

/** Which changes brought what into the specs. */
export function AppliedHistory() {
  return <PerProject>{(project) => <OfProject project={project.id} />}</PerProject>;
}

function OfProject({ project }: { project: string }) {
  const applied = useQuery(appliedQuery(project));
  return (
    <WhenReady query={applied}>
      {(found) =>
        found.length === 0 ? (
          <p className="text-sm text-muted">
            Nothing yet. A change is listed here once it is archived and its specs are part of the main ones.
          </p>
        ) : (
          <ol className="divide-y">
            {found.map(({ change_id, capability, applied_at }) => (
              <li
                key={`${change_id} ${capability}`}
                className="flex flex-wrap justify-between gap-x-4 py-2 text-sm"
              >
                <span>
                  <ChangeLink id={change_id} project={project}>
                    {change_id}
                  </ChangeLink>{" "}
                  changed <span className="font-medium">{capability}</span>
                </span>
                <span className="text-muted">
                  <Time at={applied_at} />
                </span>
              </li>
            ))}
          </ol>
        )
      }
    </WhenReady>
  );
}
