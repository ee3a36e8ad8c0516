import { createFileRoute } from "@tanstack/react-router";

import { AgentPage } from "@/rooms/agents/AgentPage";

export const Route = createFileRoute("/agents/$name")({ component: OneAgent });

function OneAgent() {
  return <AgentPage name={Route.useParams().name} />;
}
