import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import { pluginsQuery } from "@/api/assistant";
import type { PluginView } from "@/api/schema";
import { Badge } from "@/components/Badge";
import { Empty, WhenReady } from "@/components/States";
import { plural } from "@/lib/words";

import { Section } from "./Section";

/** What the assistant is made of, and what is wrong with it. */
export function AssistantFiles() {
  const plugins = useQuery(pluginsQuery);
  return (
    <Section
      id="assistant"
      title="Assistant"
      note={
        <Link to="/assistant" className="underline underline-offset-2">
          Its commands
        </Link>
      }
    >
      <WhenReady query={plugins}>
        {({ plugins: known }) =>
          known.length === 0 ? (
            <Empty title="There are no plugins">A plugin is a folder of agents, commands and skills.</Empty>
          ) : (
            <ul aria-label="Plugins" className="divide-y">
              {known.map((plugin) => (
                <PluginLine key={plugin.name} plugin={plugin} />
              ))}
            </ul>
          )
        }
      </WhenReady>
    </Section>
  );
}

function PluginLine({
  plugin: { name, origin, commands, agents, skills, problems },
}: {
  plugin: PluginView;
}) {
  return (
    <li className="py-2 text-sm">
      <p className="flex flex-wrap items-center gap-2">
        <span className="font-medium">{name}</span>
        <Badge>{origin}</Badge>
        <Badge tone={problems.length > 0 ? "bad" : "good"}>
          {problems.length > 0 ? plural(problems.length, "problem") : "in order"}
        </Badge>
      </p>
      <p className="text-muted">
        {plural(commands.length, "command")}, {plural(agents.length, "agent")},{" "}
        {plural(skills.length, "skill")}
      </p>
      {problems.map((problem) => (
        <p key={problem} className="break-words text-bad">
          {problem}
        </p>
      ))}
    </li>
  );
}
