import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";

import { type ChangeRef, overlapsQuery, revisionsQuery, validationQuery } from "@/api/changes";
import type { ChangeView } from "@/api/schema";
import { Badge } from "@/components/Badge";
import { LinkTabs } from "@/components/LinkTabs";

import { TABS, type Tab, tabsOf } from "./tabs";

/** What is written about the change; each tab is an address. */
export function ChangeTabs({ at, change, tab: chosen }: { at: ChangeRef; change: ChangeView; tab: Tab }) {
  const bar = useRef<HTMLDivElement>(null);
  const isOpen = change.status !== "archived";
  const isProposed = change.status === "proposing";
  const issues = useQuery({ ...validationQuery(at), enabled: isProposed }).data?.issues.length;
  const overlaps = useQuery({ ...overlapsQuery(at), enabled: isOpen }).data?.overlaps.length;
  const revisions = useQuery(revisionsQuery(at)).data?.revisions.length;
  const counts: Partial<Record<Tab, number | string>> = {
    deltas: Object.keys(change.specs).length,
    tasks: `${change.tasks_done}/${change.tasks_total}`,
    validation: issues,
    overlaps,
    revisions,
  };
  useEffect(() => {
    const current = bar.current?.querySelector("[aria-current=page]");
    current?.scrollIntoView?.({ inline: "nearest", block: "nearest" });
  }, [chosen]);

  return (
    <div ref={bar}>
      <LinkTabs
        label="About this change"
        tabs={tabsOf(change).map((tab) => ({
          name: TABS[tab],
          note: counts[tab] ? <Badge>{counts[tab]}</Badge> : undefined,
          to: "/board/changes/$id",
          params: { id: at.id },
          search: { tab: tab === "proposal" ? undefined : tab, project: at.project },
          activeOptions: { exact: true, includeSearch: true },
        }))}
      />
    </div>
  );
}
