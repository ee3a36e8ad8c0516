import { PluginAgentPage } from "./PluginAgentPage";
import { ResearchAgentPage } from "./ResearchAgentPage";

/** `deep-research` is a research agent, `lesson-planning:planner` one of a plugin. */
export function AgentPage({ name }: { name: string }) {
  const [plugin, agent] = name.split(":");
  return plugin && agent ? (
    <PluginAgentPage key={name} plugin={plugin} name={agent} />
  ) : (
    <ResearchAgentPage key={name} slug={name} />
  );
}
