import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import { pluginAgentsQuery, sessionsOfAgentQuery } from "@/api/agents";
import { useRefresh } from "@/api/live";
import type { PluginAgentView } from "@/api/schema";
import { Badge } from "@/components/Badge";
import { buttonClass } from "@/components/Button";
import { Card } from "@/components/Card";
import { CopyLine } from "@/components/CopyLine";
import { Page } from "@/components/Page";
import { Empty, WhenReady } from "@/components/States";
import { Time } from "@/components/Time";
import { money, plain } from "@/lib/words";

import { Fields } from "./Fields";
import { OriginBadge } from "./OriginBadge";
import { MarkdownSection } from "./MarkdownSection";

/** An agent of one of the assistant's plugins. */
export function PluginAgentPage({ plugin, name }: { plugin: string; name: string }) {
  const agents = useQuery(pluginAgentsQuery);
  const agent = agents.data?.agents.find((each) => each.plugin === plugin && each.name === name);
  return (
    <Page
      title={name}
      lead={agent?.meta.description ?? `An agent of ${plugin}`}
      actions={
        <Link to="/assistant" className={buttonClass("primary")}>
          Ask with this agent
        </Link>
      }
    >
      <WhenReady query={agents} lines={8}>
        {() =>
          agent ? (
            <div className="space-y-4">
              <Card title="About">
                <About {...agent} />
              </Card>
              <Card title="Instructions">
                <MarkdownSection text={agent.instructions} />
              </Card>
              <Sessions plugin={plugin} name={name} />
            </div>
          ) : (
            <Empty title={`The plugin ${plugin} has no agent ${name}`}>
              <Link to="/agents" className="text-accent underline">
                See which there are
              </Link>
            </Empty>
          )
        }
      </WhenReady>
    </Page>
  );
}

function About({ plugin, origin, meta, commands, file }: PluginAgentView) {
  return (
    <Fields
      fields={[
        ["Plugin", plugin],
        ["Where from", <OriginBadge key="origin" origin={origin} />],
        ["Called by", commands.join(", ") || "only by other agents"],
        ["Model", `${meta.model} (${meta.provider})`],
        ["Skills", meta.skills?.join(", ")],
        ["Tools", meta.tools?.join(", ") || "all that are built in, except bash"],
        ["Hooks", meta.hooks?.join(", ")],
        ["Hands over to", meta.handoffs?.join(", ")],
        ["Reads", meta.workspace?.join(", ")],
        ["Remembers", meta.memory === false ? "no" : "yes"],
        ["Turns at most", meta.maxTurns],
        ["May cost at most", typeof meta.maxBudgetUsd === "number" ? money(meta.maxBudgetUsd) : null],
        ["Its file", <CopyLine key="file" text={file} />],
      ]}
    />
  );
}

function Sessions({ plugin, name }: { plugin: string; name: string }) {
  const sessions = useQuery(sessionsOfAgentQuery(plugin, name));
  useRefresh(["run.*"], sessionsOfAgentQuery(plugin, name).queryKey);
  return (
    <Card title="Its sessions">
      <WhenReady query={sessions}>
        {(sessions) =>
          sessions.length ? (
            <ul className="divide-y text-sm">
              {sessions.map(({ id, title, command, status, updated_at }) => (
                <li key={id} className="flex flex-wrap items-baseline gap-x-3 gap-y-1 py-2">
                  <Link
                    to="/assistant/sessions/$id"
                    params={{ id }}
                    className="min-w-0 grow font-medium text-accent underline-offset-2 hover:underline"
                  >
                    {title ?? command ?? id}
                  </Link>
                  <Badge>{plain(status)}</Badge>
                  <span className="text-muted">
                    <Time at={updated_at} />
                  </span>
                </li>
              ))}
            </ul>
          ) : (
            <Empty title="It has not been used yet" />
          )
        }
      </WhenReady>
    </Card>
  );
}
