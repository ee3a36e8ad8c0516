import { createFileRoute } from "@tanstack/react-router";

import { AssistantPage } from "@/rooms/assistant/start/AssistantPage";

type Search = { command?: string };

export const Route = createFileRoute("/assistant/")({
  validateSearch: ({ command }: Record<string, unknown>): Search => ({
    command: typeof command === "string" ? command : undefined,
  }),
  component: () => <AssistantPage chosen={Route.useSearch().command} />,
});
