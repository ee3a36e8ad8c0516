import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";

import type { ProjectView } from "@/api/schema";
import { projectsQuery } from "@/api/projects";
import { Badge } from "@/components/Badge";
import { Card } from "@/components/Card";
import { WhenReady } from "@/components/States";

import { Filters } from "../Filters";
import { ScanButton } from "../ScanButton";
import { useBoardSearch } from "../search";

/** A card for each project, or for the chosen one. */
export function PerProject({ children }: { children: (project: ProjectView) => ReactNode }) {
  const [{ project: chosen }] = useBoardSearch();
  const projects = useQuery(projectsQuery);
  return (
    <>
      <div className="flex flex-wrap items-end justify-between gap-3">
        <Filters names={["project"]} />
        <div className="mb-4">
          <ScanButton />
        </div>
      </div>
      <WhenReady query={projects}>
        {(found) => (
          <div className="space-y-4">
            {found
              .filter(({ id }) => chosen === undefined || id === chosen)
              .map((project) => (
                <Card
                  key={project.id}
                  title={project.name}
                  note={
                    project.missing_since ? (
                      <Badge tone="warn">its folder is missing</Badge>
                    ) : (
                      <span className="font-mono text-xs break-all">{project.path}</span>
                    )
                  }
                >
                  {children(project)}
                </Card>
              ))}
          </div>
        )}
      </WhenReady>
    </>
  );
}
