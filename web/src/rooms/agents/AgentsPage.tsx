import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import { pluginAgentsQuery, researchAgentsQuery } from "@/api/agents";
import { pluginsQuery } from "@/api/assistant";
import type { AgentList, PluginList } from "@/api/schema";
import { Badge } from "@/components/Badge";
import { Card } from "@/components/Card";
import { CopyLine } from "@/components/CopyLine";
import { Page } from "@/components/Page";
import { Empty, WhenReady } from "@/components/States";
import { plural } from "@/lib/words";

import { OriginBadge } from "./OriginBadge";
import { Problems } from "./Problems";

export function AgentsPage() {
  const research = useQuery(researchAgentsQuery);
  const assistants = useQuery(pluginAgentsQuery);
  const plugins = useQuery(pluginsQuery);
  return (
    <Page title="Agents" lead="Each agent is a few files that you can read, copy and change.">
      <div className="space-y-4">
        <Card title="Research agents" note="They answer questions from a library, with citations.">
          <WhenReady query={research}>
            {(list) => (
              <>
                <ul className="divide-y">
                  {list.agents.map(({ slug, name, ...agent }) => (
                    <AgentRow key={slug} name={slug} title={name} {...agent} />
                  ))}
                </ul>
                <YourOwn {...list} />
              </>
            )}
          </WhenReady>
        </Card>
        <Card title="The assistant's agents" note="They carry out the commands of a plugin, with you.">
          <WhenReady query={assistants}>
            {({ agents }) =>
              agents.length ? (
                <ul className="divide-y">
                  {agents.map(({ plugin, name, meta, origin }) => (
                    <AgentRow
                      key={`${plugin}:${name}`}
                      name={`${plugin}:${name}`}
                      title={`${name} of ${plugin}`}
                      description={meta.description ?? ""}
                      origin={origin}
                      problems={[]}
                    />
                  ))}
                </ul>
              ) : (
                <Empty title="No plugin has an agent that can be used" />
              )
            }
          </WhenReady>
          {plugins.data && <BrokenPlugins {...plugins.data} />}
        </Card>
      </div>
    </Page>
  );
}

type RowProps = {
  name: string;
  title: string;
  description: string;
  origin: string;
  problems: readonly string[];
};

function AgentRow({ name, title, description, origin, problems }: RowProps) {
  return (
    <li className="py-3 first:pt-0">
      <div className="flex flex-wrap items-center gap-2">
        <h3 className="font-medium">
          <Link
            to="/agents/$name"
            params={{ name }}
            className="text-accent underline-offset-2 hover:underline"
          >
            {title}
          </Link>
        </h3>
        <OriginBadge origin={origin} />
        {problems.length > 0 && <Badge tone="bad">{plural(problems.length, "problem")}</Badge>}
      </div>
      {description && <p className="text-sm text-muted">{description}</p>}
      {problems.length > 0 && (
        <div className="mt-2">
          <Problems problems={problems} what={name} />
        </div>
      )}
    </li>
  );
}

function BrokenPlugins({ plugins }: PluginList) {
  return plugins
    .filter(({ problems }) => problems.length)
    .map(({ name, problems }) => (
      <div key={name} className="mt-3">
        <h3 className="mb-1 text-sm font-medium">Files of the plugin {name}</h3>
        <Problems problems={problems} what={name} />
      </div>
    ));
}

function YourOwn({ places, template }: AgentList) {
  return (
    <details className="mt-2 border-t pt-3 text-sm">
      <summary className="font-medium">Make one of your own</summary>
      <div className="mt-2 space-y-2">
        <p className="text-muted">
          Copy the template under a name of your own. In this project it is for this project; in the data
          directory it is for all. It appears here as soon as it is there, with what is wrong with it.
        </p>
        {places.map((place) => (
          <CopyLine key={place} text={`mkdir -p "${place}" && cp -r "${template}" "${place}/my-agent"`} />
        ))}
      </div>
    </details>
  );
}
