import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useReducer, useRef } from "react";

import type { DashboardIssues, DashboardMaterials } from "@/api/coach";
import { dashboardQuery, LEARNING, radarQuery } from "@/api/learning";
import type { Period } from "@/api/schema";
import { socket, useMessage, useSocketState } from "@/api/socket";

/** A part of the dashboard that arrives in its own time; what was there stays until it does. */
export type Part<T> = { isAwaited: boolean; data?: T; error?: string };

type Arrivals = { issues: Part<DashboardIssues>; materials: Part<DashboardMaterials> };

type Parts = readonly (keyof Arrivals)[];

type News =
  | { type: "asked"; parts: Parts }
  | { type: "issues"; data: DashboardIssues }
  | { type: "materials"; data: DashboardMaterials }
  | { type: "failed"; parts: Parts; error: string };

export const NOTHING_YET: Arrivals = { issues: { isAwaited: true }, materials: { isAwaited: true } };

export function arrive(arrivals: Arrivals, news: News): Arrivals {
  switch (news.type) {
    case "issues":
      return { ...arrivals, issues: { isAwaited: false, data: news.data } };
    case "materials":
      return { ...arrivals, materials: { isAwaited: false, data: news.data } };
    case "asked":
      return changed(arrivals, news.parts, { isAwaited: true });
    case "failed":
      return changed(arrivals, news.parts, { isAwaited: false, error: news.error });
  }
}

function changed({ issues, materials }: Arrivals, parts: Parts, state: Part<never>): Arrivals {
  return {
    issues: parts.includes("issues") ? { ...state, data: issues.data } : issues,
    materials: parts.includes("materials") ? { ...state, data: materials.data } : materials,
  };
}

const ALL = ["issues", "materials"] as const;

/**
 * Issues and materials as they come over the socket. The numbers and the radar come with them, and
 * are put where their queries look.
 */
export function useArrivals(period: Period) {
  const queries = useQueryClient();
  const state = useSocketState();
  const [arrivals, tell] = useReducer(arrive, NOTHING_YET);
  const asked = useRef(new Map<string, Parts>());

  function ask() {
    tell({ type: "asked", parts: ALL });
    asked.current.set(socket.say("dashboard:request", { statsPeriod: period }), ALL);
  }

  function refreshIssues() {
    tell({ type: "asked", parts: ["issues"] });
    asked.current.set(socket.say("dashboard:refresh_issues", {}), ["issues"]);
  }

  const onConnected = useEffectEvent(ask);
  useEffect(() => {
    if (state === "live") onConnected();
  }, [state]);

  useMessage("dashboard:state", (told) =>
    queries.setQueryData(dashboardQuery(told.stats.period).queryKey, told),
  );
  useMessage("dashboard:dreyfus", (told) => queries.setQueryData(radarQuery.queryKey, told));
  useMessage("dashboard:issues", (data) => tell({ type: "issues", data }));
  useMessage("dashboard:issues_error", ({ error }) => tell({ type: "failed", parts: ["issues"], error }));
  useMessage("dashboard:materials", (data) => tell({ type: "materials", data }));
  useMessage("dashboard:materials_error", ({ error }) =>
    tell({ type: "failed", parts: ["materials"], error }),
  );
  useMessage("connection:error", ({ message }, id) => {
    const parts = id && asked.current.get(id);
    if (parts) tell({ type: "failed", parts, error: message });
  });
  useMessage("session:completed", () => {
    void queries.invalidateQueries({ queryKey: LEARNING });
    ask();
  });

  return { ...arrivals, refreshIssues, askAgain: ask };
}
