import { Link, type LinkProps } from "@tanstack/react-router";
import type { ReactNode } from "react";

type Tab = { name: string; note?: ReactNode } & Pick<LinkProps, "to" | "params" | "search" | "activeOptions">;

/** Tabs that are addresses: each can be linked to, opened beside, and gone back from. */
export function LinkTabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  return (
    <nav aria-label={label} className="mb-4 flex gap-1 overflow-x-auto border-b">
      {tabs.map(({ name, note, ...link }) => (
        <Link
          key={name}
          activeOptions={{ exact: true, includeSearch: false }}
          {...(link as LinkProps)}
          className="-mb-px flex items-center gap-1.5 border-b-2 border-transparent px-3 py-2 text-sm whitespace-nowrap text-muted hover:text-ink aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-ink"
        >
          {name}
          {note}
        </Link>
      ))}
    </nav>
  );
}
