import type { DeliveredClaim, ResearchAnswer } from "@/api/schema";

/** Every sentence of an answer in the order in which it stands there: its place is its number. */
export function allClaims(answer: ResearchAnswer): DeliveredClaim[] {
  return [...answer.summary_claims, ...answer.sections.flatMap((section) => section.claims)];
}
