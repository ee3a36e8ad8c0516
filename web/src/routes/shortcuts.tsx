import { createFileRoute } from "@tanstack/react-router";

import { Card } from "@/components/Card";
import { Page } from "@/components/Page";
import { COACH_SHORTCUTS } from "@/rooms/coach/shortcuts";
import { RESEARCH_SHORTCUTS } from "@/rooms/research/shortcuts";
import { EVERYWHERE, type Shortcut } from "@/shell/shortcuts";

export const Route = createFileRoute("/shortcuts")({ component: Shortcuts });

const GROUPS: readonly (readonly [string, readonly Shortcut[]])[] = [
  ["Everywhere", EVERYWHERE],
  ["Coach", COACH_SHORTCUTS],
  ["Research", RESEARCH_SHORTCUTS],
];

function Shortcuts() {
  return (
    <Page
      title="Keyboard shortcuts"
      lead="Everything can be done without a mouse: Tab moves, Enter acts, Escape closes."
    >
      <div className="grid gap-4 md:grid-cols-2">
        {GROUPS.map(([title, shortcuts]) => (
          <Card key={title} title={title}>
            <dl className="space-y-2 text-sm">
              {shortcuts.map(({ keys, does }) => (
                <div key={keys} className="flex items-baseline justify-between gap-4">
                  <dd>{does}</dd>
                  <dt className="shrink-0 space-x-1">
                    {keys.split(" ").map((key) => (
                      <kbd key={key} className="rounded border bg-sunken px-1.5 py-0.5 font-mono text-xs">
                        {key}
                      </kbd>
                    ))}
                  </dt>
                </div>
              ))}
            </dl>
          </Card>
        ))}
      </div>
    </Page>
  );
}
