import { queryOptions, type UseQueryResult, useQueries } from "@tanstack/react-query";

import { ATTENTION, waiting } from "@/api/attention";
import { RUN_MOVES } from "@/api/house";
import { useRefresh } from "@/api/live";

import {
  fromActive,
  fromChanges,
  fromFailures,
  fromOrphans,
  fromQuestions,
  fromRequests,
  fromResearch,
  fromRuns,
  inOrder,
  type Need,
} from "./needs";

export type Trouble = { about: string; error: Error; retry: () => void };

export type Needs = { needs: Need[]; troubles: Trouble[]; isLoading: boolean };

type Source = { about: string; ask: () => Promise<Need[]> };

/** Each is asked by itself, so that one that does not answer hides no other. */
const SOURCES: readonly Source[] = [
  { about: "The board's changes", ask: async () => fromChanges((await waiting.changes()).changes) },
  { about: "Agents' questions", ask: async () => fromQuestions((await waiting.questions()).clarifications) },
  { about: "Failing tests", ask: async () => fromFailures(await waiting.failures()) },
  { about: "Research", ask: async () => fromResearch((await waiting.research()).runs) },
  { about: "Requests of research", ask: async () => fromRequests((await waiting.requests()).requests) },
  { about: "Paused runs", ask: async () => fromRuns(await waiting.runs()) },
  { about: "The open prediction", ask: async () => fromActive(await waiting.active()) },
  { about: "Predictions left open", ask: async () => fromOrphans((await waiting.orphans()).results) },
];

const QUERIES = SOURCES.map(({ about, ask }) =>
  queryOptions({ queryKey: [...ATTENTION, about], queryFn: ask }),
);

const MOVING = ["agents.*", "specs.*", "work.*", "errors.*", "journal.*", "research.*", ...RUN_MOVES];

/** What waits for a person, in any room. */
export function useNeeds(): Needs {
  useRefresh(MOVING, ATTENTION);
  return useQueries({ queries: QUERIES, combine });
}

function combine(results: UseQueryResult<Need[]>[]): Needs {
  return {
    needs: inOrder(results.flatMap(({ data }) => data ?? [])),
    troubles: results.flatMap(({ error, refetch }, place) => {
      const about = SOURCES[place]?.about;
      return error && about ? [{ about, error, retry: () => void refetch() }] : [];
    }),
    isLoading: results.some(({ isPending }) => isPending),
  };
}
