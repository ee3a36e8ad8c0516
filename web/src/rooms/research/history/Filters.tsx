import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useEffect, useState } from "react";

import { vocabularyQuery } from "@/api/research";
import { CheckBox, Select, TextField } from "@/components/Field";

const route = getRouteApi("/research/");
const PAUSE = 300;

/** What to show of all that was asked; it stands in the address. */
export function Filters() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const words = useQuery(vocabularyQuery).data;
  const [query, setQuery] = useState(search.q ?? "");

  function choose(change: Partial<typeof search>) {
    void navigate({
      search: (was) => ({ ...was, page: undefined, ...change }),
      replace: true,
      resetScroll: false,
    });
  }

  useEffect(() => {
    if (query === (search.q ?? "")) return;
    const timer = setTimeout(() => choose({ q: query || undefined }), PAUSE);
    return () => clearTimeout(timer);
  }, [query]);

  return (
    <section
      aria-label="Find and sort"
      className="mb-2 grid gap-3 sm:grid-cols-[1fr_auto_auto_auto] sm:items-end"
    >
      <TextField
        label="Find"
        type="search"
        placeholder="words in titles and messages"
        value={query}
        onChange={(event) => setQuery(event.target.value)}
      />
      <Select
        label="Status"
        value={search.status ?? ""}
        onChange={(event) => choose({ status: event.target.value || undefined })}
        options={[["", "Any"], ...(words?.statuses ?? []).map(({ id, label }) => [id, label] as const)]}
      />
      <Select
        label="Label"
        value={search.label ?? ""}
        onChange={(event) => choose({ label: event.target.value || undefined })}
        options={[["", "Any"], ...(words?.labels ?? []).map(({ id, label }) => [id, label] as const)]}
      />
      <CheckBox
        className="pb-1.5"
        label="Archived"
        checked={search.archived ?? false}
        onChange={(event) => choose({ archived: event.target.checked || undefined })}
      />
    </section>
  );
}
