import { useQuery } from "@tanstack/react-query";
import { ChevronRight } from "lucide-react";

import type { SpecSummary } from "@/api/schema";
import { specsQuery } from "@/api/projects";
import { WhenReady } from "@/components/States";
import { classes } from "@/lib/classes";
import { plural } from "@/lib/words";

import { useBoardSearch } from "../search";
import { PerProject } from "./PerProject";
import { Requirements } from "./Requirements";

/** The main specs: each capability with what it promises. */
export function Capabilities() {
  return <PerProject>{(project) => <OfProject project={project.id} />}</PerProject>;
}

function OfProject({ project }: { project: string }) {
  const specs = useQuery(specsQuery(project));
  return (
    <WhenReady query={specs}>
      {(found) =>
        found.length === 0 ? (
          <p className="text-sm text-muted">
            No specs yet. When a change is archived, what it promises becomes a capability here.
          </p>
        ) : (
          <ul className="divide-y">
            {found.map((spec) => (
              <Capability key={spec.id} project={project} spec={spec} />
            ))}
          </ul>
        )
      }
    </WhenReady>
  );
}

function Capability({ project, spec }: { project: string; spec: SpecSummary }) {
  const [search, change] = useBoardSearch();
  const address = `${project}/${spec.id}`;
  const isOpen = search.spec === address;
  return (
    <li className="py-2">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => change({ spec: isOpen ? undefined : address })}
        className="flex w-full items-start gap-2 text-left"
      >
        <ChevronRight
          aria-hidden
          className={classes("mt-1 size-4 shrink-0 text-muted", isOpen && "rotate-90")}
        />
        <span className="min-w-0 grow">
          <span className="font-medium">{spec.id}</span>
          <span className="ml-2 text-sm text-muted">{plural(spec.requirement_count, "requirement")}</span>
          {spec.purpose && <span className="block text-sm text-muted">{spec.purpose}</span>}
        </span>
      </button>
      {isOpen && <Requirements project={project} spec={spec.id} />}
    </li>
  );
}
