import type { StageProgress, SubstepProgress } from "@/api/schema";

/** How long a step took, in milliseconds; none while it is under way. */
export function timeOf({ started_at, ended_at }: StageProgress | SubstepProgress): number {
  return started_at && ended_at ? Date.parse(ended_at) - Date.parse(started_at) : 0;
}
