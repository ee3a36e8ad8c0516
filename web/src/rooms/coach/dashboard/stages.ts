import type { Stage } from "@/api/schema";

type Meaning = { name: string; meaning: string };

/** The Dreyfus model's five stages, for somebody who has not heard of it. */
export const STAGES: Record<Stage, Meaning> = {
  novice: { name: "Novice", meaning: "Works step by step and needs to be given the next one." },
  advanced_beginner: {
    name: "Advanced beginner",
    meaning: "Does small tasks alone; how the pieces fit together is still new.",
  },
  competent: { name: "Competent", meaning: "Plans the work and solves the usual problems without help." },
  proficient: {
    name: "Proficient",
    meaning: "Sees the whole, notices early what is off, and puts it right.",
  },
  expert: { name: "Expert", meaning: "Knows from experience what fits, and can say why." },
};
