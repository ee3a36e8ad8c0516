import { useQuery } from "@tanstack/react-query";
import { projectsQuery } from "@/api/projects";

/** Said only where there are several. */
export function ProjectName({ id }: { id: string }) {
  const projects = useQuery(projectsQuery).data ?? [];
  const name = projects.length > 1 && projects.find((project) => project.id === id)?.name;
  return name ? <span className="font-medium">{name}</span> : null;
}
