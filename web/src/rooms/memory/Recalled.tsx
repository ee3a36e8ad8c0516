import { useQuery } from "@tanstack/react-query";

import { recallQuery } from "@/api/memories";
import type { RecallView } from "@/api/schema";
import { Card } from "@/components/Card";
import { Empty, Notice, WhenReady } from "@/components/States";
import { plural } from "@/lib/words";

import { MemoryEditor } from "./MemoryEditor";
import { RecalledRow } from "./RecalledRow";
import { useMemorySearch } from "./useMemorySearch";

type Props = { query: string; project: string | undefined };

/** What an agent would be given for this question, best first, with why it comes there. */
export function Recalled({ query, project }: Props) {
  const found = useQuery(recallQuery(query, project));
  return (
    <Card title="Nearest in meaning">
      <WhenReady query={found} lines={6}>
        {(recollection) => <Recollection {...recollection} />}
      </WhenReady>
    </Card>
  );
}

function Recollection({ items, left_out, unavailable }: RecallView) {
  const { search, change } = useMemorySearch();
  return (
    <div className="space-y-3">
      {unavailable.length > 0 && (
        <Notice tone="warn">Could not be searched just now: {unavailable.join(", ")}.</Notice>
      )}
      {items.length === 0 && (
        <Empty title="No memory comes close">Try other words, or another project.</Empty>
      )}
      <ol aria-label="Recalled" className="divide-y">
        {items.map((item) => (
          <li key={`${item.store} ${item.id}`} className="py-3 first:pt-0">
            {item.store === "memories" && item.id === search.edit ? (
              <MemoryEditor id={item.id} onClose={() => change({ edit: undefined })} />
            ) : (
              <RecalledRow item={item} />
            )}
          </li>
        ))}
      </ol>
      {items.length > 0 && (
        <p className="text-sm text-muted">
          The score weighs meaning (half), importance (a quarter), how recent it is and how often it was used.
          {left_out > 0 && ` ${plural(left_out, "more item")} would not fit into an agent’s prompt.`}
        </p>
      )}
    </div>
  );
}
