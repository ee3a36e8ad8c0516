import { createFileRoute } from "@tanstack/react-router";

import { LibraryPage, type LibrarySearch, TABS } from "@/rooms/library/LibraryPage";

export const Route = createFileRoute("/libraries/$name/")({
  validateSearch: (raw): LibrarySearch => ({
    tab: TABS.find((tab) => tab === raw.tab),
    query: text(raw.query),
    document: text(raw.document),
    ingest: text(raw.ingest),
  }),
  component: OneLibrary,
});

/** `?query=210.1` is read as a number, and means the words. */
function text(value: unknown): string | undefined {
  return value === undefined || value === "" ? undefined : String(value);
}

function OneLibrary() {
  const { name } = Route.useParams();
  return <LibraryPage key={name} name={name} search={Route.useSearch()} />;
}
