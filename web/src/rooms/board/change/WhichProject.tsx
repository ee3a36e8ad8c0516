import { useQuery } from "@tanstack/react-query";
import { projectsQuery } from "@/api/projects";
import { Link } from "@tanstack/react-router";

import { Empty } from "@/components/States";

/** Two projects have a change of that name: one is chosen here. */
export function WhichProject({ id, error, projects }: { id: string; error: Error; projects: string[] }) {
  const known = useQuery(projectsQuery).data ?? [];
  return (
    <Empty title="Which project’s change?">
      <p>{error.message}</p>
      <ul className="mt-3 space-y-1">
        {projects.map((project) => (
          <li key={project}>
            <Link
              to="/board/changes/$id"
              params={{ id }}
              search={{ project }}
              className="text-accent underline underline-offset-2"
            >
              {known.find((one) => one.id === project)?.name ?? project}
            </Link>
          </li>
        ))}
      </ul>
    </Empty>
  );
}
