import { createFileRoute } from "@tanstack/react-router";

import { word } from "@/lib/search";
import { AssistantPage } from "@/rooms/assistant/start/AssistantPage";

type Search = { command?: string };

export const Route = createFileRoute("/assistant/")({
  validateSearch: ({ command }: Record<string, unknown>): Search => ({
    command: word(command),
  }),
  component: () => <AssistantPage chosen={Route.useSearch().command} />,
});
