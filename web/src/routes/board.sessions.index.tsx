import { createFileRoute } from "@tanstack/react-router";

import { Page } from "@/components/Page";

export const Route = createFileRoute("/board/sessions/")({
  component: () => <Page title="board/sessions">…</Page>,
});
