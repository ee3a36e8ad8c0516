import { createFileRoute } from "@tanstack/react-router";

import { Page } from "@/components/Page";

export const Route = createFileRoute("/assistant/workspaces/$plugin")({
  component: () => <Page title="assistant/workspaces/$plugin">…</Page>,
});
