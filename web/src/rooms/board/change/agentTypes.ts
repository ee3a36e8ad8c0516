import type { AgentType } from "@/api/schema";

/** In the order of how often they are wanted; the server names them. */
export const AGENT_TYPES: Record<AgentType, string> = {
  "general-purpose": "General purpose",
  "t3-stack-developer": "T3 stack developer",
  "e2e-test-engineer": "End-to-end test engineer",
  "database-architect": "Database architect",
  "ux-design-specialist": "UX design specialist",
};
