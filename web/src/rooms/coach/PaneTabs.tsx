import { Link } from "@tanstack/react-router";

import { PANES, type Pane } from "./places";

const NAMES: Record<Pane, string> = { files: "Files", editor: "Editor", coach: "Coach" };

/** On a narrow window one pane at a time is shown. */
export function PaneTabs({ shown, file }: { shown: Pane; file?: string }) {
  return (
    <nav aria-label="Panes" className="mb-2 grid shrink-0 grid-cols-3 gap-1 rounded-lg bg-sunken p-1">
      {PANES.map((pane) => (
        <Link
          key={pane}
          to="/coach"
          search={{ file, pane }}
          replace
          aria-current={pane === shown ? "page" : undefined}
          className="rounded-md px-3 py-1 text-center text-sm text-muted aria-[current=page]:bg-surface aria-[current=page]:font-medium aria-[current=page]:text-ink"
        >
          {NAMES[pane]}
        </Link>
      ))}
    </nav>
  );
}
