import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";

import { answer, rest } from "./client";
import type { paths } from "./schema";

export const MEMORIES = ["memories"] as const;

type Asked = NonNullable<paths["/api/memories"]["get"]["parameters"]["query"]>;
export type MemoryFilter = Omit<Asked, "after" | "limit">;

const PAGE = 500;

export const memoriesQuery = (filter: MemoryFilter) =>
  infiniteQueryOptions({
    queryKey: [...MEMORIES, "list", filter],
    queryFn: ({ pageParam }) =>
      answer(rest.GET("/api/memories", { params: { query: { ...filter, after: pageParam, limit: PAGE } } })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
  });

export const memoryQuery = (id: string) =>
  queryOptions({
    queryKey: [...MEMORIES, "one", id],
    queryFn: () => answer(rest.GET("/api/memories/{id}", { params: { path: { id } } })),
  });

export const overviewQuery = queryOptions({
  queryKey: [...MEMORIES, "overview"],
  queryFn: () => answer(rest.GET("/api/memories/overview")),
});

/** Being recalled counts as a use: it is asked once, and not again because a window came to the front. */
export const recallQuery = (query: string, project: string | undefined) =>
  queryOptions({
    queryKey: [...MEMORIES, "recall", query, project],
    queryFn: () => answer(rest.POST("/api/memories/recall", { body: { query, project, budget: 4_000 } })),
    staleTime: Number.POSITIVE_INFINITY,
  });
