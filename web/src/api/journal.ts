import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";

import { answer, rest } from "./client";
import type { Axis, Domain, JournalOutcome } from "./schema";

export const JOURNAL = ["journal"] as const;
const PAGE = 100;

export type EntryFilter = { domain?: Domain; outcome?: JournalOutcome; since?: string };
export type ExperienceFilter = { axis?: Axis; domain?: Domain; outcome?: JournalOutcome };

export const activeQuery = queryOptions({
  queryKey: [...JOURNAL, "active"],
  queryFn: () => answer(rest.GET("/api/journal/active")),
});

export const orphansQuery = queryOptions({
  queryKey: [...JOURNAL, "orphans"],
  queryFn: () => answer(rest.GET("/api/journal/orphans")),
});

export const entriesQuery = (filter: EntryFilter) =>
  infiniteQueryOptions({
    queryKey: [...JOURNAL, "entries", filter],
    queryFn: ({ pageParam }) =>
      answer(
        rest.GET("/api/journal/entries", { params: { query: { ...filter, limit: PAGE, after: pageParam } } }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
  });

export const entryQuery = (id: string) =>
  queryOptions({
    queryKey: [...JOURNAL, "entry", id],
    queryFn: () => answer(rest.GET("/api/journal/entries/{id}", { params: { path: { id } } })),
  });

export const mapQuery = (axis: Axis) =>
  queryOptions({
    queryKey: [...JOURNAL, "map", axis],
    queryFn: () => answer(rest.GET("/api/journal/map", { params: { query: { axis } } })),
  });

export const membersQuery = (clusterId: string) =>
  queryOptions({
    queryKey: [...JOURNAL, "cluster", clusterId],
    queryFn: () =>
      answer(rest.GET("/api/journal/clusters/{cluster_id}", { params: { path: { cluster_id: clusterId } } })),
  });

export const valuesQuery = (axis?: Axis) =>
  queryOptions({
    queryKey: [...JOURNAL, "values", axis],
    queryFn: () => answer(rest.GET("/api/journal/values", { params: { query: { axis, limit: PAGE } } })),
  });

export const calibrationQuery = queryOptions({
  queryKey: [...JOURNAL, "calibration"],
  queryFn: () => answer(rest.GET("/api/journal/calibration")),
});

export const experiencesQuery = (query: string, filter: ExperienceFilter) =>
  queryOptions({
    queryKey: [...JOURNAL, "search", query, filter],
    queryFn: () =>
      answer(rest.GET("/api/journal/search", { params: { query: { query, ...filter, limit: 30 } } })),
  });
