import type { JournalStarted } from "@/api/schema";
import { Notice } from "@/components/States";
import { percent } from "@/lib/words";

import { CAUSES } from "./words";

/** What brought down similar hypotheses before, told when one is written down. */
export function Premortem({ started }: { started: JournalStarted }) {
  const causes = started.premortem ?? [];
  return (
    <div className="space-y-3" role="status">
      <p>Written down. Now find out, and come back to say what happened.</p>
      {started.warning && <Notice tone="warn">{started.warning}</Notice>}
      {causes.length > 0 && (
        <Notice tone="warn">
          <p className="font-medium">Similar hypotheses went wrong before:</p>
          <ul className="mt-1 list-disc space-y-2 pl-5">
            {causes.map(({ category, share, examples }) => (
              <li key={category}>
                {CAUSES[category]} ({percent(share)} of them)
                <ul className="list-['–_'] pl-4">
                  {examples.map((example) => (
                    <li key={example}>{example}</li>
                  ))}
                </ul>
              </li>
            ))}
          </ul>
        </Notice>
      )}
    </div>
  );
}
