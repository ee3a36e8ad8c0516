import { createFileRoute } from "@tanstack/react-router";

import { SearchPage } from "@/rooms/assistant/search/SearchPage";

type Search = { query?: string; class?: string };

export const Route = createFileRoute("/assistant/search")({
  validateSearch: (given: Record<string, unknown>): Search => ({
    query: given.query === undefined ? undefined : String(given.query),
    class: given.class === undefined ? undefined : String(given.class),
  }),
  component: Found,
});

function Found() {
  const { query = "", class: classId = "" } = Route.useSearch();
  return <SearchPage key={`${query} ${classId}`} query={query} classId={classId} />;
}
