import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";

import { libraryQuery } from "@/api/library";
import { useRefresh } from "@/api/live";
import type { LibraryStatus } from "@/api/schema";
import { buttonClass } from "@/components/Button";
import { Page } from "@/components/Page";
import { WhenReady } from "@/components/States";
import { count, plural } from "@/lib/words";
import { useCommands } from "@/shell/commands";

import { CheckText } from "./CheckText";
import { Documents } from "./Documents";
import { IngestPanel } from "./IngestPanel";
import { RemoveLibrary } from "./RemoveLibrary";
import { SearchTab } from "./SearchTab";

export const TABS = ["search", "documents", "check"] as const;
export type LibraryTab = (typeof TABS)[number];
export type LibrarySearch = { tab?: LibraryTab; query?: string; document?: string; ingest?: string };

const TAB_NAMES: Record<LibraryTab, string> = {
  search: "Search",
  documents: "Documents",
  check: "Check a text",
};

export function LibraryPage({ name, search }: { name: string; search: LibrarySearch }) {
  const library = useQuery(libraryQuery(name));
  const navigate = useNavigate();
  useRefresh(["library.ingested", "library.removed"], libraryQuery(name).queryKey);
  useCommands(
    "This library",
    useMemo(
      () =>
        TABS.map((tab) => ({
          name: TAB_NAMES[tab],
          run: () => void navigate({ to: "/libraries/$name", params: { name }, search: { tab } }),
        })),
      [name, navigate],
    ),
  );
  const isEmpty = library.data?.paragraphs === 0;
  const tab = search.tab ?? (isEmpty ? "documents" : "search");

  return (
    <Page
      title={library.data?.library.title ?? name}
      lead={library.data && <Counts {...library.data} />}
      actions={
        <>
          <Link to="/research" search={{ library: name }} className={buttonClass()}>
            Ask it a question
          </Link>
          <RemoveLibrary name={name} onRemoved={() => void navigate({ to: "/libraries" })} />
        </>
      }
    >
      <WhenReady query={library} lines={6}>
        {(status) => (
          <>
            <Tabs name={name} current={tab} />
            {search.ingest && <IngestPanel key={search.ingest} name={name} runId={search.ingest} />}
            {tab === "search" && <SearchTab name={name} search={search} isEmpty={isEmpty} />}
            {tab === "documents" && <Documents status={status} />}
            {tab === "check" && <CheckText name={name} isEmpty={isEmpty} />}
          </>
        )}
      </WhenReady>
    </Page>
  );
}

function Counts({ library, standards, guides, paragraphs, terms, edges }: LibraryStatus) {
  const links = Object.values(edges).reduce((sum, each) => sum + each, 0);
  return (
    <>
      <code className="font-mono">{library.name}</code> · {plural(standards, "standard")},{" "}
      {plural(guides, "guide")} · {plural(paragraphs, "paragraph")} · {plural(terms, "defined term")} ·{" "}
      {count(links)} links between them
    </>
  );
}

function Tabs({ name, current }: { name: string; current: LibraryTab }) {
  return (
    <nav aria-label="Parts of this library" className="mb-4 flex gap-1 overflow-x-auto border-b">
      {TABS.map((tab) => (
        <Link
          key={tab}
          to="/libraries/$name"
          params={{ name }}
          search={({ ingest }) => ({ tab, ingest })}
          activeOptions={{ exact: true }}
          aria-current={tab === current ? "page" : undefined}
          className="-mb-px border-b-2 border-transparent px-3 py-2 text-sm whitespace-nowrap text-muted hover:text-ink aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-ink"
        >
          {TAB_NAMES[tab]}
        </Link>
      ))}
    </nav>
  );
}
