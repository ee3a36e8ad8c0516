import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";

import { activeQuery } from "@/api/journal";
import { Button } from "@/components/Button";
import { Card } from "@/components/Card";
import { Select, TextField } from "@/components/Field";
import { Dialog } from "@/components/Dialog";

import { ActiveEntry } from "./ActiveEntry";
import { JournalLayout } from "./JournalLayout";
import { Orphans } from "./Orphans";
import { StartForm } from "./StartForm";
import { Timeline } from "./Timeline";
import { Transfer } from "./Transfer";
import { DOMAINS, OUTCOMES, options } from "./words";

const route = getRouteApi("/journal/");

export function JournalPage() {
  const [isStarting, setStarting] = useState(false);
  const active = useQuery(activeQuery).data;

  return (
    <JournalLayout
      title="Journal"
      lead="What was predicted, and what happened"
      actions={
        <Button kind="primary" onClick={() => setStarting(true)}>
          Write down a prediction
        </Button>
      }
    >
      <div className="space-y-4">
        {active?.has_active && <ActiveEntry entry={active} />}
        <Orphans />
        <Entries />
        <Transfer />
      </div>
      <Dialog title="A new prediction" isWide isOpen={isStarting} onClose={() => setStarting(false)}>
        {active?.has_active && (
          <p className="mb-3 text-sm text-muted">
            The entry that is open now will be left open; you can take it up again.
          </p>
        )}
        <StartForm />
      </Dialog>
    </JournalLayout>
  );
}

function Entries() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const isFiltered = Object.values(search).some((value) => value !== undefined);
  const change = (part: Partial<typeof search>) =>
    void navigate({ search: (before) => ({ ...before, ...part }), replace: true });

  return (
    <Card title="Entries">
      <search aria-label="Filters" className="mb-3 flex flex-wrap items-end gap-3">
        <Select
          label="Outcome"
          className="w-44"
          options={[
            ["", "All"],
            ...Object.entries(OUTCOMES).map(([name, { word }]) => [name, word] as const),
          ]}
          value={search.outcome ?? ""}
          onChange={(event) =>
            change({ outcome: (event.target.value || undefined) as typeof search.outcome })
          }
        />
        <Select
          label="Kind of work"
          className="w-44"
          options={[["", "All"], ...options(DOMAINS)]}
          value={search.domain ?? ""}
          onChange={(event) => change({ domain: (event.target.value || undefined) as typeof search.domain })}
        />
        <TextField
          label="Since"
          type="date"
          className="w-40"
          value={search.since ?? ""}
          onChange={(event) => change({ since: event.target.value || undefined })}
        />
        {isFiltered && (
          <Button kind="quiet" onClick={() => void navigate({ search: {} })}>
            Clear filters
          </Button>
        )}
      </search>
      <Timeline filter={search} isFiltered={isFiltered} />
    </Card>
  );
}
