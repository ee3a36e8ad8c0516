import { useQuery } from "@tanstack/react-query";

import { overlapsQuery } from "@/api/changes";
import { Card } from "@/components/Card";
import { Empty, WhenReady } from "@/components/States";

import { OverlapList } from "./OverlapList";
import type { PanelProps } from "./Panel";

/** Other open changes that meet this one. */
export function OverlapsPanel({ at, change }: PanelProps) {
  const overlaps = useQuery(overlapsQuery(at));
  return (
    <WhenReady query={overlaps}>
      {({ overlaps: found }) => (
        <Card title="Overlaps" note={found.length > 0 && "They are not handed to agents at the same time."}>
          {found.length === 0 ? (
            <Empty title="It overlaps with no other open change.">
              Here would be changes that alter the same requirement, or that name this one.
            </Empty>
          ) : (
            <OverlapList project={change.project_id} overlaps={found} />
          )}
        </Card>
      )}
    </WhenReady>
  );
}
