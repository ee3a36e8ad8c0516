import type { Tone } from "@/components/Badge";
import type { Liveness } from "@/api/schema";

/** `worker 3f9a2c`: enough to tell agents apart. */
export function agentName(type: string, id: string): string {
  return `${type} ${id.slice(-6).toLowerCase()}`;
}

export const LIVENESS: Record<Liveness, { tone: Tone; means: string }> = {
  active: { tone: "good", means: "heard of in the last five minutes" },
  slow: { tone: "warn", means: "silent for more than five minutes" },
  stale: { tone: "bad", means: "silent for more than ten minutes: it loses its work" },
};

export function clockTime(at: string): string {
  return new Date(at).toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" });
}
