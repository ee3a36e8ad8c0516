import type { ReactNode } from "react";

import { JOURNAL } from "@/api/journal";
import { useRefresh } from "@/api/live";
import { LinkTabs } from "@/components/LinkTabs";
import { Page } from "@/components/Page";

const TABS = [
  { name: "Entries", to: "/journal" },
  { name: "Clusters", to: "/journal/clusters" },
  { name: "Values", to: "/journal/values" },
  { name: "Calibration", to: "/journal/calibration" },
  { name: "Search", to: "/journal/search" },
] as const;

type Props = { title: string; lead: ReactNode; actions?: ReactNode; children: ReactNode };

/** What the pages of the journal share: its parts as tabs, kept up to date. */
export function JournalLayout({ title, lead, actions, children }: Props) {
  useRefresh(["journal.*"], JOURNAL);

  return (
    <Page title={title} lead={lead} actions={actions}>
      <LinkTabs label="Journal" tabs={TABS} />
      {children}
    </Page>
  );
}
