import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { SearchIcon } from "lucide-react";
import { type FormEvent, useEffect, useState } from "react";

import { documentsQuery, searchQuery } from "@/api/library";
import { Button } from "@/components/Button";
import { Select, TextField } from "@/components/Field";
import { Empty, WhenReady } from "@/components/States";

import { Answerable } from "./Answerable";
import type { LibrarySearch } from "./LibraryPage";
import { Hits } from "./Hits";

type Props = { name: string; search: LibrarySearch; isEmpty: boolean };

/** The question stands in the address: it can be linked to and gone back to. */
export function SearchTab({ name, search: { query = "", document = "" }, isEmpty }: Props) {
  const [words, setWords] = useState(query);
  const navigate = useNavigate();
  useEffect(() => setWords(query), [query]);

  function look(next: { query?: string; document?: string }) {
    void navigate({
      to: "/libraries/$name",
      params: { name },
      search: { tab: "search", query: next.query || undefined, document: next.document || undefined },
    });
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    look({ query: words.trim(), document });
  }

  if (isEmpty) return <Empty title="Nothing to search yet">Add documents first, then ask.</Empty>;
  return (
    <>
      <search>
        <form onSubmit={submit} className="flex flex-wrap items-end gap-2">
          <TextField
            label="What do you want to know?"
            placeholder="How early must a visitor announce its arrival?"
            type="search"
            value={words}
            maxLength={2000}
            className="min-w-0 grow basis-72"
            onChange={(event) => setWords(event.target.value)}
          />
          <InDocument name={name} value={document} onChange={(chosen) => look({ query, document: chosen })} />
          <Button kind="primary" type="submit">
            <SearchIcon aria-hidden className="size-4" />
            Search
          </Button>
        </form>
      </search>
      {query ? (
        <Found name={name} query={query} document={document} />
      ) : (
        <Empty title="Ask in your own words">
          By words, by meaning or by reference: “210.2(a)” opens that paragraph first.
        </Empty>
      )}
    </>
  );
}

type InDocumentProps = { name: string; value: string; onChange: (document: string) => void };

function InDocument({ name, value, onChange }: InDocumentProps) {
  const documents = useQuery(documentsQuery(name)).data?.documents ?? [];
  const options = documents.map(
    ({ path, title, prefix }) => [path, prefix ? `${prefix} · ${title}` : title] as const,
  );
  return (
    <Select
      label="In"
      className="w-full sm:w-56"
      options={[["", "All documents"], ...options]}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

function Found({ name, query, document }: { name: string; query: string; document: string }) {
  const results = useQuery(searchQuery(name, query, document));
  return (
    <div className="mt-4 space-y-4">
      <Answerable name={name} query={query} />
      <WhenReady query={results} lines={6}>
        {(found) => <Hits name={name} results={found} />}
      </WhenReady>
    </div>
  );
}
