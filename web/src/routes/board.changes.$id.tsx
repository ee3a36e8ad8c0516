import { createFileRoute } from "@tanstack/react-router";

import type { AgentType } from "@/api/schema";
import { nameIn, word } from "@/lib/search";
import { AGENT_TYPES } from "@/rooms/board/change/agentTypes";
import { ChangePage } from "@/rooms/board/change/ChangePage";
import { TABS, type Tab } from "@/rooms/board/change/tabs";

type Search = { tab?: Tab; project?: string; agent?: AgentType };

export const Route = createFileRoute("/board/changes/$id")({
  validateSearch: ({ tab, project, agent }: Record<string, unknown>): Search => ({
    tab: nameIn(TABS, tab),
    project: word(project),
    agent: nameIn(AGENT_TYPES, agent),
  }),
  component: () => <ChangePage {...Route.useParams()} {...Route.useSearch()} />,
});
