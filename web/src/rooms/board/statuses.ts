import type { Tone } from "@/components/Badge";

import type { AnyStatus } from "./search";

/** What a state means for whoever looks, and its colour. */
export const STATUS: Record<AnyStatus, { tone: Tone; means: string }> = {
  proposing: { tone: "warn", means: "waits for your approval" },
  approved: { tone: "info", means: "waits in the queue for an agent" },
  assigned: { tone: "accent", means: "an agent has claimed it" },
  in_progress: { tone: "accent", means: "an agent works on it" },
  review: { tone: "warn", means: "waits for you to confirm the work" },
  applied: { tone: "good", means: "confirmed; it can be archived" },
  archived: { tone: "neutral", means: "closed" },
  new: { tone: "bad", means: "nobody has decided on it yet" },
  triaged: { tone: "warn", means: "decided on" },
  in_remediation: { tone: "accent", means: "a change for it is on its way" },
  fixed: { tone: "good", means: "its test passes again" },
};
