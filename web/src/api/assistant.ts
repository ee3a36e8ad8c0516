import { keepPreviousData, queryOptions } from "@tanstack/react-query";

import { answer, rest } from "./client";
import type { RunStatus, TurnStory } from "./schema";

export type TurnEvent = TurnStory["events"][number];

const ROOM = "assistant";

/** Everything of a session begins with this key. */
export const sessionKey = (id: string) => [ROOM, "session", id] as const;
export const sessionsKey = [ROOM, "sessions"] as const;
export const filesKey = [ROOM, "files"] as const;

/** What the house tells of when a turn begins, waits, goes on or ends. */
export const TURN_MOVES = [
  "run.queued",
  "run.paused",
  "run.replied",
  "run.completed",
  "run.failed",
  "run.cancelled",
] as const;

export function isFinal(status: RunStatus): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

export const pluginsQuery = queryOptions({
  queryKey: [ROOM, "plugins"],
  queryFn: () => answer(rest.GET("/api/assistant/commands")),
});

export const agentsQuery = (plugin: string) =>
  queryOptions({
    queryKey: [ROOM, "agents", plugin],
    queryFn: () =>
      answer(rest.GET("/api/assistant/plugins/{plugin}/agents", { params: { path: { plugin } } })),
  });

export const sessionsQuery = (limit: number) =>
  queryOptions({
    queryKey: [...sessionsKey, limit],
    queryFn: () => answer(rest.GET("/api/assistant/sessions", { params: { query: { limit } } })),
    placeholderData: keepPreviousData,
  });

export const searchQuery = (query: string, classId: string) =>
  queryOptions({
    queryKey: [ROOM, "search", query, classId],
    queryFn: () =>
      answer(
        rest.GET("/api/assistant/search", {
          params: { query: { query, class_id: classId || null, limit: 50 } },
        }),
      ),
    placeholderData: keepPreviousData,
  });

export const sessionQuery = (id: string) =>
  queryOptions({
    queryKey: [...sessionKey(id), "state"],
    queryFn: () =>
      answer(rest.GET("/api/assistant/sessions/{session_id}", { params: { path: { session_id: id } } })),
  });

export const turnsQuery = (id: string) =>
  queryOptions({
    queryKey: [...sessionKey(id), "turns"],
    queryFn: () =>
      answer(
        rest.GET("/api/assistant/sessions/{session_id}/turns", { params: { path: { session_id: id } } }),
      ),
  });

/** What happened in a turn that has ended, and so does not change. */
export const storyQuery = (id: string, runId: string) =>
  queryOptions({
    queryKey: [ROOM, "story", runId],
    queryFn: () =>
      answer(
        rest.GET("/api/assistant/sessions/{session_id}/turns/{run_id}", {
          params: { path: { session_id: id, run_id: runId } },
        }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const decisionsQuery = (id: string) =>
  queryOptions({
    queryKey: [...sessionKey(id), "decisions"],
    queryFn: () =>
      answer(
        rest.GET("/api/assistant/sessions/{session_id}/decisions", { params: { path: { session_id: id } } }),
      ),
  });

export const workspaceQuery = (plugin: string) =>
  queryOptions({
    queryKey: [...filesKey, "workspace", plugin],
    queryFn: () => answer(rest.GET("/api/assistant/workspaces/{plugin}", { params: { path: { plugin } } })),
  });

export const memoryQuery = queryOptions({
  queryKey: [...filesKey, "memory"],
  queryFn: () => answer(rest.GET("/api/assistant/memory")),
});

export const fileQuery = (plugin: string, path: string) =>
  queryOptions({
    queryKey: [...filesKey, "file", plugin, path],
    queryFn: () => readFile(plugin, path),
  });

export const versionsQuery = (plugin: string, path: string) =>
  queryOptions({
    queryKey: [...filesKey, "versions", plugin, path],
    queryFn: () =>
      answer(
        rest.GET("/api/assistant/workspaces/{plugin}/versions", {
          params: { path: { plugin }, query: { path } },
        }),
      ),
  });

export const versionQuery = (plugin: string, path: string, version: number) =>
  queryOptions({
    queryKey: [...filesKey, "version", plugin, path, version],
    queryFn: () =>
      answer(
        rest.GET("/api/assistant/workspaces/{plugin}/version", {
          params: { path: { plugin }, query: { path, version } },
        }),
      ),
  });

export const shippedQuery = (plugin: string, path: string) =>
  queryOptions({
    queryKey: [...filesKey, "shipped", plugin, path],
    queryFn: () =>
      answer(
        rest.GET("/api/assistant/workspaces/{plugin}/shipped", {
          params: { path: { plugin }, query: { path } },
        }),
      ),
  });

export const evalRunsQuery = queryOptions({
  queryKey: [ROOM, "evals"],
  queryFn: () => answer(rest.GET("/api/runs", { params: { query: { kind: "assistant_eval", limit: 10 } } })),
});

export const evalQuery = (runId: string) =>
  queryOptions({
    queryKey: [ROOM, "evals", runId],
    queryFn: () => answer(rest.GET("/api/assistant/evals/{run_id}", { params: { path: { run_id: runId } } })),
  });

export const evalProgressQuery = (runId: string) =>
  queryOptions({
    queryKey: [ROOM, "evals", runId, "progress"],
    queryFn: () => answer(rest.GET("/api/runs/{run_id}/events", { params: { path: { run_id: runId } } })),
  });

/** What was remembered is addressed like a file: `memory/classes/3B/MEMORY.md`. */
export function isMemory(path: string): boolean {
  return path.startsWith("memory/");
}

export function readFile(plugin: string, path: string) {
  if (isMemory(path)) return answer(rest.GET("/api/assistant/memory/file", { params: { query: { path } } }));
  const params = { path: { plugin }, query: { path } };
  return answer(rest.GET("/api/assistant/workspaces/{plugin}/file", { params }));
}

export function writeFile(plugin: string, path: string, text: string) {
  const body = { text };
  if (isMemory(path)) {
    return answer(rest.PUT("/api/assistant/memory/file", { params: { query: { path } }, body }));
  }
  const params = { path: { plugin }, query: { path } };
  return answer(rest.PUT("/api/assistant/workspaces/{plugin}/file", { params, body }));
}

export function removeFile(plugin: string, path: string) {
  if (isMemory(path)) {
    return answer(rest.DELETE("/api/assistant/memory/file", { params: { query: { path } } }));
  }
  const params = { path: { plugin }, query: { path } };
  return answer(rest.DELETE("/api/assistant/workspaces/{plugin}/file", { params }));
}
