import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import type { SourceView } from "@/api/schema";
import { sourcesQuery } from "@/api/sources";
import { Badge } from "@/components/Badge";
import { Page } from "@/components/Page";
import { Empty, WhenReady } from "@/components/States";
import { plural } from "@/lib/words";
import { OriginBadge } from "@/rooms/agents/OriginBadge";

import { AddSource } from "./AddSource";
import { state } from "./health";

export function SourcesPage() {
  const sources = useQuery(sourcesQuery);
  return (
    <Page
      title="Sources"
      lead="MCP servers whose tools agents may use. What comes with a project runs only after you enabled it."
    >
      <WhenReady query={sources} lines={6}>
        {({ sources, places }) => (
          <div className="space-y-6">
            {sources.length ? (
              <ul className="grid gap-3 md:grid-cols-2">
                {sources.map((source) => (
                  <SourceCard key={source.slug} source={source} />
                ))}
              </ul>
            ) : (
              <Empty title="No source yet">A source is a folder with one small file.</Empty>
            )}
            <AddSource places={places} />
          </div>
        )}
      </WhenReady>
    </Page>
  );
}

function SourceCard({ source }: { source: SourceView }) {
  const { slug, name, icon, description, type, origin, tools, problems = [] } = source;
  const { tone, word } = state(source);
  return (
    <li className="rounded-lg border bg-surface p-4">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 className="font-semibold">
          {icon && <span aria-hidden>{icon} </span>}
          <Link to="/sources/$slug" params={{ slug }} className="hover:underline">
            {name}
          </Link>
        </h2>
        <Badge tone={tone}>{word}</Badge>
      </div>
      {description && <p className="mt-1 text-sm text-muted">{description}</p>}
      {problems.length > 0 && <p className="mt-1 text-sm break-words text-bad">{problems[0]}</p>}
      <p className="mt-2 flex flex-wrap items-center gap-2 text-sm text-muted">
        <OriginBadge origin={origin} />
        {type && <span>{type === "stdio" ? "a program" : "an address"}</span>}
        {typeof tools === "number" && <span>{plural(tools, "tool")}</span>}
      </p>
    </li>
  );
}
