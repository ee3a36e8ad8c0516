import { createFileRoute } from "@tanstack/react-router";

import { Page } from "@/components/Page";

export const Route = createFileRoute("/board/knowledge")({
  component: () => <Page title="board/knowledge">…</Page>,
});
