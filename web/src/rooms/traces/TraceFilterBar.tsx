import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useEffect, useMemo, useState } from "react";

import { healthQuery } from "@/api/house";
import { Button, buttonClass } from "@/components/Button";
import { Select, TextField } from "@/components/Field";
import { oneOf } from "@/lib/search";
import { plain } from "@/lib/words";
import { useCommands } from "@/shell/commands";

import { isFiltered, KINDS, OUTCOMES, type TraceSearch } from "./filters";

const ANY = ["", "any"] as const;

/** What is looked for stands in the address, so that it can be linked to and gone back from. */
export function TraceFilterBar({ search }: { search: TraceSearch }) {
  const navigate = useNavigate();
  const rooms = useQuery(healthQuery).data?.rooms ?? [];
  const [words, setWords] = useState(search.q ?? "");
  useEffect(() => setWords(search.q ?? ""), [search.q]);

  useCommands(
    "Traces",
    useMemo(
      () => [
        {
          name: "Show what failed",
          run: () => void navigate({ to: "/traces", search: { status: "error" } }),
        },
      ],
      [navigate],
    ),
  );

  function change(next: TraceSearch) {
    void navigate({ to: "/traces", search: { ...search, ...next } });
  }

  return (
    <form
      aria-label="Find traces"
      className="mb-4 flex flex-wrap items-end gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        change({ q: words.trim() || undefined });
      }}
    >
      <TextField
        label="Words in a name"
        type="search"
        value={words}
        onChange={(event) => setWords(event.target.value)}
        placeholder="recall, chat…"
        className="grow basis-48"
      />
      <Select
        label="Room"
        value={search.room ?? ""}
        onChange={(event) => change({ room: event.target.value || undefined })}
        options={[ANY, ...rooms.map((room) => [room, plain(room)] as const)]}
      />
      <Select
        label="Kind"
        value={search.kind ?? ""}
        onChange={(event) => change({ kind: oneOf(event.target.value, KINDS) })}
        options={[ANY, ...KINDS.map((kind) => [kind, kind] as const)]}
      />
      <Select
        label="Outcome"
        value={search.status ?? ""}
        onChange={(event) => change({ status: oneOf(event.target.value, OUTCOMES) })}
        options={[ANY, ["ok", "succeeded"], ["error", "failed"]]}
      />
      <Button type="submit">Find</Button>
      {isFiltered(search) && (
        <Link to="/traces" className={buttonClass("quiet")}>
          Show all
        </Link>
      )}
      {(search.run || search.session) && (
        <p className="basis-full text-sm text-muted">
          Only those of {search.run ? `the run ${search.run}` : `the session ${search.session}`}.
        </p>
      )}
    </form>
  );
}
