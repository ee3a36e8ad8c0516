import { createFileRoute } from "@tanstack/react-router";

import { WorkspacePage } from "@/rooms/assistant/files/WorkspacePage";

type Search = { file?: string };

export const Route = createFileRoute("/assistant/workspaces/$plugin")({
  validateSearch: ({ file }: Record<string, unknown>): Search => ({
    file: typeof file === "string" ? file : undefined,
  }),
  component: () => <WorkspacePage plugin={Route.useParams().plugin} file={Route.useSearch().file} />,
});
