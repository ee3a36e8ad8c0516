import type { MemoryOverview } from "@/api/schema";
import { Button } from "@/components/Button";
import { Select } from "@/components/Field";

import { isNarrowed, type MemorySearch } from "./filters";
import { ROOMS } from "./places";
import { useMemorySearch } from "./useMemorySearch";

const SCOPES = [
  ["", "Any scope"],
  ["personal", "All projects"],
  ["project", "One project"],
] as const;

const IMPORTANCES = [
  ["", "Any importance"],
  ["high", "High"],
  ["medium", "Medium"],
  ["low", "Low"],
] as const;

const FROM = [["", "Any room"], ...Object.entries(ROOMS)] as const;

/** Everything that narrows the list down. By meaning only a project does: recall ranks the rest. */
export function Filters({ overview }: { overview: MemoryOverview | undefined }) {
  const { search, change, clear } = useMemorySearch();
  const choose = (name: keyof MemorySearch) => (event: { target: { value: string } }) =>
    change({ [name]: event.target.value || undefined, session: undefined });
  const projects = overview?.projects.map(({ project }) => project) ?? [];
  const isByMeaning = search.by === "meaning";

  return (
    <div className="flex flex-wrap items-end gap-2">
      <Select
        label="Project"
        className="min-w-0 grow basis-36"
        value={search.project ?? ""}
        onChange={choose("project")}
        options={[["", "Any project"], ...named(projects, search.project)]}
      />
      {!isByMeaning && (
        <>
          <Select
            label="Scope"
            className="min-w-0 grow basis-36"
            value={search.scope ?? ""}
            onChange={choose("scope")}
            options={SCOPES}
          />
          <Select
            label="Importance"
            className="min-w-0 grow basis-36"
            value={search.importance ?? ""}
            onChange={choose("importance")}
            options={IMPORTANCES}
          />
          <Select
            label="Room"
            className="min-w-0 grow basis-36"
            value={search.room ?? ""}
            onChange={choose("room")}
            options={FROM}
          />
          <Button
            aria-pressed={search.forgotten ?? false}
            className={search.forgotten ? "bg-accent-soft text-accent" : undefined}
            onClick={() => change({ forgotten: search.forgotten ? undefined : true })}
          >
            Forgotten{overview ? ` (${overview.forgotten})` : ""}
          </Button>
        </>
      )}
      {search.tag && <Chosen name={`Tag: ${search.tag}`} onDrop={() => change({ tag: undefined })} />}
      {search.session && <Chosen name="One session" onDrop={() => change({ session: undefined })} />}
      {isNarrowed(search) && (
        <Button kind="quiet" onClick={clear} className="text-accent">
          Show all
        </Button>
      )}
    </div>
  );
}

/** A project of the address is offered even where no memory has it any more. */
function named(projects: readonly string[], chosen: string | undefined): [string, string][] {
  const all = chosen && !projects.includes(chosen) ? [...projects, chosen] : projects;
  return all.map((project) => [project, project]);
}

function Chosen({ name, onDrop }: { name: string; onDrop: () => void }) {
  return (
    <Button onClick={onDrop} aria-label={`${name}; show others too`}>
      {name} ×
    </Button>
  );
}
