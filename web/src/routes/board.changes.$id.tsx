import { createFileRoute } from "@tanstack/react-router";

import type { AgentType } from "@/api/schema";
import { isAgentType } from "@/rooms/board/change/agentTypes";
import { ChangePage } from "@/rooms/board/change/ChangePage";
import { isTab, type Tab } from "@/rooms/board/change/tabs";

type Search = { tab?: Tab; project?: string; agent?: AgentType };

export const Route = createFileRoute("/board/changes/$id")({
  validateSearch: ({ tab, project, agent }: Record<string, unknown>): Search => ({
    tab: isTab(tab) ? tab : undefined,
    project: typeof project === "string" ? project : undefined,
    agent: isAgentType(agent) ? agent : undefined,
  }),
  component: () => <ChangePage {...Route.useParams()} {...Route.useSearch()} />,
});
