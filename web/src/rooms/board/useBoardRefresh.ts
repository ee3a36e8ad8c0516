import { agentsKey, boardKey } from "@/api/board";
import { useRefresh } from "@/api/live";

const MOVES = [
  "specs.*",
  "errors.*",
  "work.*",
  "agents.registered",
  "agents.ended",
  "agents.idle",
  "agents.asked",
  "agents.answered",
];

/** What agents and other windows do appears here; each tool an agent uses concerns the agents only. */
export function useBoardRefresh(): void {
  useRefresh(MOVES, boardKey);
  useRefresh(["agents.activity", "agents.summary"], agentsKey);
}
