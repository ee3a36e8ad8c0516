import { Link } from "@tanstack/react-router";

import type { KataSummary } from "@/api/schema";
import { Card } from "@/components/Card";
import { KataItem } from "@/rooms/coach/practice/KataItem";
import { NextKata } from "@/rooms/coach/practice/NextKata";

const SHOWN = 4;

export function KatasCard({ katas }: { katas: readonly KataSummary[] }) {
  const open = katas.filter(({ solved }) => !solved);
  return (
    <Card
      title="Practice"
      note={
        <Link to="/coach/practice" className="text-accent underline">
          All katas
        </Link>
      }
    >
      {katas.length === 0 ? (
        <p className="text-sm text-muted">
          The end of a session names what was hard and brings small exercises for it. They will be here.
        </p>
      ) : (
        <>
          <ul aria-label="Katas to do" className="mb-3 divide-y">
            {open.slice(0, SHOWN).map((kata) => (
              <KataItem key={kata.id} kata={kata} />
            ))}
          </ul>
          {open.length === 0 && <p className="mb-3 text-sm text-muted">All of them are solved.</p>}
          <NextKata />
        </>
      )}
    </Card>
  );
}
