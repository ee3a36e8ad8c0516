import { useNavigate } from "@tanstack/react-router";
import { useCallback } from "react";

export const PANES = ["files", "editor", "coach"] as const;
export type Pane = (typeof PANES)[number];

export type CoachSearch = { file?: string; line?: number; pane?: Pane };

export function coachSearch(search: Record<string, unknown>): CoachSearch {
  return {
    file: typeof search.file === "string" && search.file ? search.file : undefined,
    line: Number.isInteger(search.line) && Number(search.line) > 0 ? Number(search.line) : undefined,
    pane: PANES.find((pane) => pane === search.pane),
  };
}

/** Show a file, at a line if one is named; the address says so, and Back goes back. */
export function useShowFile(): (path: string, line?: number) => void {
  const navigate = useNavigate();
  return useCallback(
    (file, line) => void navigate({ to: "/coach", search: { file, line, pane: "editor" } }),
    [navigate],
  );
}

export type Place = { path: string; line?: number; text: string };

/** A finding such as `src/tally/trip.py:12: is this left from debugging?`, taken apart. */
export function placeIn(finding: string, isFile: (path: string) => boolean): Place | undefined {
  const found = /^`?([^\s:`]+)`?(?::(\d+))?:\s+(.*)$/s.exec(finding);
  const [, path, line, text] = found ?? [];
  if (path === undefined || text === undefined || !isFile(path)) return undefined;
  return { path, line: line ? Number(line) : undefined, text };
}

export function linesIn(start: number, end: number): string {
  return start === end ? `Line ${start}` : `Lines ${start}–${end}`;
}
