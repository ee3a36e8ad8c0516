import { queryOptions } from "@tanstack/react-query";

import { boardKey } from "./board";
import { answer, rest } from "./client";

const PROJECTS = [...boardKey, "projects"] as const;

export const projectsQuery = queryOptions({
  queryKey: PROJECTS,
  queryFn: async () => (await answer(rest.GET("/api/projects"))).projects,
});

export const specsQuery = (project: string) =>
  queryOptions({
    queryKey: [...PROJECTS, project, "specs"],
    queryFn: async () => {
      const params = { path: { project_id: project } };
      return (await answer(rest.GET("/api/projects/{project_id}/specs", { params }))).specs;
    },
    enabled: project !== "",
  });

export const specQuery = (project: string, spec: string) =>
  queryOptions({
    queryKey: [...PROJECTS, project, "specs", spec],
    queryFn: () =>
      answer(
        rest.GET("/api/projects/{project_id}/specs/{spec}", {
          params: { path: { project_id: project, spec } },
        }),
      ),
  });

export const appliedQuery = (project: string) =>
  queryOptions({
    queryKey: [...PROJECTS, project, "applied"],
    queryFn: async () => {
      const params = { path: { project_id: project } };
      return (await answer(rest.GET("/api/projects/{project_id}/applied", { params }))).applied;
    },
  });

export const projectQuery = (project: string) =>
  queryOptions({
    queryKey: [...PROJECTS, project],
    queryFn: () =>
      answer(rest.GET("/api/projects/{project_id}", { params: { path: { project_id: project } } })),
  });

/** Look for projects now; all that is known of them is asked for again by who calls this. */
export const scanProjects = () => answer(rest.POST("/api/projects/scan"));
