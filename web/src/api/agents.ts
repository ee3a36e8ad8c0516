import { queryOptions } from "@tanstack/react-query";

import { answer, rest } from "./client";

export const researchAgentsQuery = queryOptions({
  queryKey: ["agents", "research"],
  queryFn: () => answer(rest.GET("/api/research/agents")),
});

export function researchAgentQuery(slug: string) {
  return queryOptions({
    queryKey: ["agents", "research", slug],
    queryFn: () => answer(rest.GET("/api/research/agents/{slug}", { params: { path: { slug } } })),
  });
}

export const pluginAgentsQuery = queryOptions({
  queryKey: ["agents", "plugins"],
  queryFn: () => answer(rest.GET("/api/assistant/agents")),
});

const MOST_RUNS = 500;

/** The newest runs of one research agent, among the newest of all. */
export function runsOfAgentQuery(slug: string) {
  return queryOptions({
    queryKey: ["agents", "runs", slug],
    queryFn: () => answer(rest.GET("/api/research/runs", { params: { query: { limit: MOST_RUNS } } })),
    select: ({ runs }) => runs.filter(({ agent }) => agent === slug),
  });
}

export function sessionsOfAgentQuery(plugin: string, agent: string) {
  return queryOptions({
    queryKey: ["agents", "sessions", plugin, agent],
    queryFn: () =>
      answer(rest.GET("/api/assistant/sessions", { params: { query: { plugin, limit: MOST_RUNS } } })),
    select: ({ sessions }) => sessions.filter((session) => session.agent === agent),
  });
}

export const skillsQuery = queryOptions({
  queryKey: ["skills"],
  queryFn: () => answer(rest.GET("/api/research/skills")),
});

export function skillQuery(slug: string) {
  return queryOptions({
    queryKey: ["skills", slug],
    queryFn: () => answer(rest.GET("/api/research/skills/{slug}", { params: { path: { slug } } })),
  });
}

export const pluginSkillsQuery = queryOptions({
  queryKey: ["skills", "plugins"],
  queryFn: () => answer(rest.GET("/api/assistant/skills")),
});
