import { createFileRoute } from "@tanstack/react-router";

import { Page } from "@/components/Page";

export const Route = createFileRoute("/board/sessions/$id")({
  component: () => <Page title="board/sessions/$id">…</Page>,
});
