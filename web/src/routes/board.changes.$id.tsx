import { createFileRoute } from "@tanstack/react-router";

import { Page } from "@/components/Page";

export const Route = createFileRoute("/board/changes/$id")({
  component: () => <Page title="board/changes/$id">…</Page>,
});
