import { createFileRoute } from "@tanstack/react-router";

import { word } from "@/lib/search";
import { WorkspacePage } from "@/rooms/assistant/files/WorkspacePage";

type Search = { file?: string };

export const Route = createFileRoute("/assistant/workspaces/$plugin")({
  validateSearch: ({ file }: Record<string, unknown>): Search => ({
    file: word(file),
  }),
  component: () => <WorkspacePage plugin={Route.useParams().plugin} file={Route.useSearch().file} />,
});
