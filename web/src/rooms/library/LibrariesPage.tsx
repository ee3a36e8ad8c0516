import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Library, Plus } from "lucide-react";
import { useMemo, useState } from "react";

import { librariesQuery } from "@/api/library";
import { useRefresh } from "@/api/live";
import type { LibraryListing } from "@/api/schema";
import { Button } from "@/components/Button";
import { Page } from "@/components/Page";
import { Empty, WhenReady } from "@/components/States";
import { Time } from "@/components/Time";
import { plural } from "@/lib/words";
import { useCommands } from "@/shell/commands";

import { CreateLibrary } from "./CreateLibrary";
import { ExampleButton } from "./ExampleButton";
import { RemoveLibrary } from "./RemoveLibrary";

export function LibrariesPage() {
  const libraries = useQuery(librariesQuery);
  const [isCreating, setCreating] = useState(false);
  useRefresh(["library.created", "library.removed", "library.ingested"], librariesQuery.queryKey);
  useCommands(
    "Libraries",
    useMemo(() => [{ name: "New library", run: () => setCreating(true) }], []),
  );

  return (
    <Page
      title="Libraries"
      lead="Your own documents, cut into numbered paragraphs that you and your agents can search, cite and check."
      actions={
        <Button kind="primary" onClick={() => setCreating(true)}>
          <Plus aria-hidden className="size-4" />
          New library
        </Button>
      }
    >
      <WhenReady query={libraries} lines={5}>
        {({ libraries }) => (libraries.length ? <Shelf libraries={libraries} /> : <Nothing />)}
      </WhenReady>
      <CreateLibrary isOpen={isCreating} onClose={() => setCreating(false)} />
    </Page>
  );
}

function Nothing() {
  return (
    <Empty title="No library yet" icon={<Library className="size-6" />}>
      <p>
        Make one for your documents, or take the example: the rules of a small harbour, five files that are
        read in a moment.
      </p>
      <div className="mt-4 flex justify-center">
        <ExampleButton kind="primary" />
      </div>
    </Empty>
  );
}

function Shelf({ libraries }: { libraries: readonly LibraryListing[] }) {
  return (
    <>
      <ul className="grid gap-3 md:grid-cols-2">
        {libraries.map((library) => (
          <Shelved key={library.id} {...library} />
        ))}
      </ul>
      {!libraries.some(({ name }) => name === "harbour") && (
        <div className="mt-6 flex flex-wrap items-center gap-3 text-sm text-muted">
          Something to try things on?
          <ExampleButton />
        </div>
      )}
    </>
  );
}

function Shelved({ name, title, documents, paragraphs, root, updated_at }: LibraryListing) {
  return (
    <li className="flex items-start justify-between gap-3 rounded-lg border bg-surface p-4">
      <div className="min-w-0">
        <h2 className="font-semibold break-words">
          <Link to="/libraries/$name" params={{ name }} className="hover:underline">
            {title}
          </Link>
        </h2>
        <p className="text-sm text-muted">
          <code className="font-mono">{name}</code> · {plural(documents, "document")} ·{" "}
          {plural(paragraphs, "paragraph")}
        </p>
        <p className="text-sm break-all text-muted">
          {root ? `From ${root}` : "Uploaded"} · changed <Time at={updated_at} />
        </p>
      </div>
      <RemoveLibrary name={name} />
    </li>
  );
}
