import { useQuery } from "@tanstack/react-query";
import { projectsQuery } from "@/api/projects";
import { SlidersHorizontal } from "lucide-react";
import { type ReactNode, useState } from "react";

import { Button } from "@/components/Button";
import { Select, TextField } from "@/components/Field";
import { classes } from "@/lib/classes";

import { SearchField } from "./SearchField";
import { type BoardSearch, useBoardSearch } from "./search";

type Props = {
  /** The names of the filters that this page has: what "Clear filters" clears. */
  names: readonly (keyof BoardSearch)[];
  hasDate?: boolean;
  hasWords?: boolean;
  /** Further choices beside the usual ones, and those that need a line of their own. */
  children?: ReactNode;
  below?: ReactNode;
};

/** What is looked for, kept in the address; on a narrow window behind a button. */
export function Filters({ names, hasDate = false, hasWords = false, children, below }: Props) {
  const [search, change] = useBoardSearch();
  const [isOpen, setIsOpen] = useState(false);
  const set = names.filter((name) => search[name] !== undefined);
  const projects = useQuery(projectsQuery).data ?? [];
  const hasProjects = projects.length > 1 || search.project !== undefined;
  const clear = () => change(Object.fromEntries(names.map((name) => [name, undefined])));

  if (!hasWords && !hasDate && !hasProjects) return null;
  return (
    <search className="mb-4 block" aria-label="Filters">
      <Button className="sm:hidden" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        <SlidersHorizontal aria-hidden className="size-4" />
        Filters{set.length > 0 && ` (${set.length})`}
      </Button>
      <div className={classes("mt-3 flex-wrap items-end gap-3 sm:mt-0 sm:flex", isOpen ? "flex" : "hidden")}>
        {hasWords && (
          <SearchField
            label="Search"
            value={search.search ?? ""}
            className="w-full sm:w-56"
            onChange={(words) => change({ search: words || undefined }, { isTyping: true })}
          />
        )}
        {hasProjects && (
          <Select
            label="Project"
            value={search.project ?? ""}
            className="w-44"
            options={[["", "All projects"], ...projects.map(({ id, name }) => [id, name] as const)]}
            onChange={(event) => change({ project: event.target.value || undefined })}
          />
        )}
        {children}
        {hasDate && (
          <TextField
            type="date"
            label="Active since"
            value={search.since ?? ""}
            onChange={(event) => change({ since: event.target.value || undefined })}
          />
        )}
        {set.length > 0 && (
          <Button kind="quiet" className="text-accent" onClick={clear}>
            Clear filters
          </Button>
        )}
        {below}
      </div>
    </search>
  );
}
