import { createFileRoute } from "@tanstack/react-router";

import { AgentsPage } from "@/rooms/agents/AgentsPage";

export const Route = createFileRoute("/agents/")({ component: AgentsPage });
