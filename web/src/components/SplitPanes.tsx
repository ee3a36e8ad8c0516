import type { ReactNode } from "react";
import { Group, Panel, Separator } from "react-resizable-panels";

import { classes } from "@/lib/classes";
import { useIsNarrow } from "@/lib/narrow";

type Pane = { id: string; label: string; content: ReactNode; size?: number; least?: number };

/** Panes side by side whose borders can be dragged, or moved with the arrow keys; on a narrow window one above the other. */
export function SplitPanes({ panes, className }: { panes: readonly Pane[]; className?: string }) {
  const isNarrow = useIsNarrow();
  if (isNarrow) {
    return (
      <div className={classes("space-y-4", className)}>
        {panes.map(({ id, label, content }) => (
          <section key={id} aria-label={label}>
            {content}
          </section>
        ))}
      </div>
    );
  }
  return (
    <Group orientation="horizontal" className={className}>
      {panes.flatMap(({ id, label, content, size, least = 12 }, index) => [
        ...(index > 0
          ? [
              <Separator
                key={`${id}-border`}
                aria-label={`Width of ${label}`}
                className="mx-1 w-1 rounded bg-line hover:bg-accent focus-visible:bg-accent"
              />,
            ]
          : []),
        <Panel key={id} id={id} defaultSize={size && `${size}%`} minSize={`${least}%`}>
          <section aria-label={label} className="h-full min-h-0 overflow-auto">
            {content}
          </section>
        </Panel>,
      ])}
    </Group>
  );
}
