import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import { sourcesQuery } from "@/api/sources";
import type { SourceView } from "@/api/schema";
import { Badge, type Tone } from "@/components/Badge";
import { Empty, WhenReady } from "@/components/States";
import { plural } from "@/lib/words";

import { Section } from "./Section";

export function SourcesSection() {
  const sources = useQuery(sourcesQuery);
  return (
    <Section
      id="sources"
      title="Sources and credentials"
      note={
        <Link to="/sources" className="underline underline-offset-2">
          All sources
        </Link>
      }
    >
      <WhenReady query={sources}>
        {({ sources: known }) =>
          known.length === 0 ? (
            <Empty title="There are no sources">
              A source is a server whose tools agents may use. It is a folder with a description.
            </Empty>
          ) : (
            <ul aria-label="Sources" className="divide-y">
              {known.map((source) => (
                <SourceLine key={source.slug} source={source} />
              ))}
            </ul>
          )
        }
      </WhenReady>
    </Section>
  );
}

function SourceLine({ source }: { source: SourceView }) {
  const [tone, state] = stateOf(source);
  const credentials = source.credentials?.length ?? 0;
  return (
    <li className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1 py-2 text-sm">
      <Link
        to="/sources/$slug"
        params={{ slug: source.slug }}
        className="font-medium underline-offset-2 hover:underline"
      >
        {source.name}
      </Link>
      <span className="flex flex-wrap items-center gap-2 text-muted">
        {credentials > 0 && <span>uses {plural(credentials, "credential")}</span>}
        <Badge tone={tone}>{state}</Badge>
      </span>
    </li>
  );
}

function stateOf({ enabled, health, problems, signed_in }: SourceView): [Tone, string] {
  if (problems && problems.length > 0) return ["bad", "its description has mistakes"];
  if (!enabled) return ["neutral", "off"];
  if (health === "needs_auth") {
    return ["warn", signed_in === false ? "needs you to sign in" : "needs a credential"];
  }
  if (health === "failing") return ["bad", "does not answer"];
  return health === "ok" ? ["good", "works"] : ["info", "on, not tried yet"];
}
