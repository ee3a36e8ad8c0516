import type { ResearchAnswer } from "@/api/schema";

import { ClaimText } from "./ClaimText";
import { allClaims } from "./claims";

/** The short answer first, then its sections; each sentence with what it rests on. */
export function AnswerBody({ answer }: { answer: ResearchAnswer }) {
  const numbers = new Map(allClaims(answer).map((claim, number) => [claim, number]));
  const text = (claims: ResearchAnswer["summary_claims"]) =>
    claims.map((claim) => (
      <ClaimText key={numbers.get(claim)} answer={answer} claim={claim} number={numbers.get(claim)!} />
    ));

  return (
    <div className="max-w-prose space-y-4">
      <div className="space-y-2 text-[1.0625rem]">{text(answer.summary_claims)}</div>
      {answer.sections.map((section) => (
        <section key={section.heading} className="space-y-2">
          <h3 className="font-semibold">{section.heading}</h3>
          {text(section.claims)}
        </section>
      ))}
    </div>
  );
}
