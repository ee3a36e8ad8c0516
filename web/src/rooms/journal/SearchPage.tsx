import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Search } from "lucide-react";
import { type FormEvent, useState } from "react";

import { experiencesQuery } from "@/api/journal";
import type { Axis, Domain, JournalOutcome } from "@/api/schema";
import { Button } from "@/components/Button";
import { Select, TextField } from "@/components/Field";
import { Empty, WhenReady } from "@/components/States";

import { Experience } from "./Experience";
import { JournalLayout } from "./JournalLayout";
import { AXES, DOMAINS, OUTCOMES, options } from "./words";

const route = getRouteApi("/journal/search");

export function SearchPage() {
  const { query = "", ...filter } = route.useSearch();
  const navigate = route.useNavigate();
  const [words, setWords] = useState(query);
  const change = (part: Partial<typeof filter & { query: string }>) =>
    void navigate({ search: (before) => ({ ...before, ...part }) });

  function submit(event: FormEvent) {
    event.preventDefault();
    change({ query: words.trim() || undefined });
  }

  return (
    <JournalLayout title="Search experiences" lead="By words and by meaning">
      <form onSubmit={submit} className="mb-6 flex flex-wrap items-end gap-3">
        <TextField
          label="What was it about?"
          type="search"
          className="min-w-60 grow"
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
        <Select
          label="Compare"
          className="w-40"
          options={Object.entries(AXES).map(([name, { name: word }]) => [name, word] as const)}
          value={filter.axis ?? "full"}
          onChange={(event) => change({ axis: event.target.value as Axis })}
        />
        <Select
          label="Outcome"
          className="w-40"
          options={[
            ["", "All"],
            ...Object.entries(OUTCOMES).map(([name, { word }]) => [name, word] as const),
          ]}
          value={filter.outcome ?? ""}
          onChange={(event) =>
            change({ outcome: (event.target.value || undefined) as JournalOutcome | undefined })
          }
        />
        <Select
          label="Kind of work"
          className="w-40"
          options={[["", "All"], ...options(DOMAINS)]}
          value={filter.domain ?? ""}
          onChange={(event) => change({ domain: (event.target.value || undefined) as Domain | undefined })}
        />
        <Button kind="primary" type="submit">
          Search
        </Button>
      </form>
      {query ? (
        <Results query={query} filter={filter} />
      ) : (
        <Empty title="Ask in your own words." icon={<Search className="size-6" />}>
          “a test that fails now and then”, “slow queries”, “what surprised us in deploys”
        </Empty>
      )}
    </JournalLayout>
  );
}

type Filter = { axis?: Axis; domain?: Domain; outcome?: JournalOutcome };

function Results({ query, filter }: { query: string; filter: Filter }) {
  const found = useQuery(experiencesQuery(query, filter));
  return (
    <WhenReady query={found}>
      {({ results }) =>
        results.length === 0 ? (
          <Empty title="No experience matches." />
        ) : (
          <ol className="divide-y" aria-label="Experiences found">
            {results.map((experience) => (
              <li key={experience.id} className="py-3">
                <Experience experience={experience} note={`score ${experience.score.toFixed(2)}`} />
              </li>
            ))}
          </ol>
        )
      }
    </WhenReady>
  );
}
