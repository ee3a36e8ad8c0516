import { Link } from "@tanstack/react-router";

import type { Refusal, ResearchAnswer } from "@/api/schema";
import { Card } from "@/components/Card";

import { CiteChip } from "./CiteChip";
import { LookedFor } from "./Workings";

/** No answer, said well: what is missing, what comes nearest, what to do. */
export function Refused({ answer, refusal }: { answer: ResearchAnswer; refusal: Refusal }) {
  return (
    <Card title="No answer, and none made up">
      <div className="max-w-prose space-y-4">
        <p>
          The library{" "}
          <Link to="/libraries/$name" params={{ name: answer.library }} className="text-accent underline">
            {answer.library}
          </Link>{" "}
          does not hold one, as far as could be seen.
        </p>
        <Part title="What is missing" lines={refusal.missing} />
        {refusal.nearest.length > 0 && (
          <section>
            <h3 className="font-semibold">What comes nearest</h3>
            <ul className="mt-1 space-y-1.5 text-sm">
              {refusal.nearest.map((near) => (
                <li key={near.ref}>
                  <CiteChip answer={answer} reference={near.ref} /> {near.text}
                </li>
              ))}
            </ul>
          </section>
        )}
        <Part title="What you can do" lines={refusal.advice} />
        <div className="text-sm">
          <LookedFor answer={answer} isOpen />
        </div>
      </div>
    </Card>
  );
}

function Part({ title, lines }: { title: string; lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <section>
      <h3 className="font-semibold">{title}</h3>
      <ul className="mt-1 list-disc space-y-1 pl-5 text-sm">
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </section>
  );
}
