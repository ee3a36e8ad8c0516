import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import { researchAgentQuery } from "@/api/agents";
import type { AgentDetail } from "@/api/schema";
import { buttonClass } from "@/components/Button";
import { Card } from "@/components/Card";
import { CopyLine } from "@/components/CopyLine";
import { Page } from "@/components/Page";
import { WhenReady } from "@/components/States";

import { AgentSettings } from "./AgentSettings";
import { Fields } from "./Fields";
import { OriginBadge } from "./OriginBadge";
import { Problems } from "./Problems";
import { RunsOfAgent } from "./RunsOfAgent";
import { MarkdownSection } from "./MarkdownSection";

export function ResearchAgentPage({ slug }: { slug: string }) {
  const agent = useQuery(researchAgentQuery(slug));
  const canBeAsked = agent.data?.problems.length === 0;
  return (
    <Page
      title={agent.data?.name ?? slug}
      lead={agent.data?.description}
      actions={
        canBeAsked && (
          <Link to="/research" search={{ agent: slug }} className={buttonClass("primary")}>
            Ask with this agent
          </Link>
        )
      }
    >
      <WhenReady query={agent} lines={8}>
        {(agent) => (
          <div className="space-y-4">
            <Problems problems={agent.problems} what={slug} />
            <Card title="About">
              <About {...agent} />
            </Card>
            {agent.config && <AgentSettings config={agent.config} />}
            <Prompts {...agent} />
            <RunsOfAgent slug={slug} />
          </div>
        )}
      </WhenReady>
    </Page>
  );
}

function About({ slug, origin, sources, library, folder }: AgentDetail) {
  return (
    <Fields
      fields={[
        ["Called by", <code key="call" className="font-mono">{`@${slug}`}</code>],
        ["Where from", <OriginBadge key="origin" origin={origin} />],
        ["Library", library ? <LibraryLink name={library} /> : "whichever you ask"],
        ["Sources", sources.length ? <SourceLinks slugs={sources} /> : "none"],
        ["Its files", <CopyLine key="folder" text={folder} />],
      ]}
    />
  );
}

function LibraryLink({ name }: { name: string }) {
  return (
    <Link to="/libraries/$name" params={{ name }} className="text-accent underline underline-offset-2">
      {name}
    </Link>
  );
}

function SourceLinks({ slugs }: { slugs: readonly string[] }) {
  return (
    <ul className="flex flex-wrap gap-x-3">
      {slugs.map((slug) => (
        <li key={slug}>
          <Link to="/sources/$slug" params={{ slug }} className="text-accent underline underline-offset-2">
            {slug}
          </Link>
        </li>
      ))}
    </ul>
  );
}

function Prompts({ instructions, prompts }: AgentDetail) {
  return (
    <Card title="Instructions">
      {instructions ? (
        <MarkdownSection text={instructions} />
      ) : (
        <p className="text-sm text-muted">Nothing besides the instructions of its stages.</p>
      )}
      {Object.entries(prompts).map(([file, text]) => (
        <details key={file} className="mt-3 border-t pt-3">
          <summary className="font-mono text-sm">prompts/{file}</summary>
          <MarkdownSection text={text} className="mt-2" />
        </details>
      ))}
    </Card>
  );
}
