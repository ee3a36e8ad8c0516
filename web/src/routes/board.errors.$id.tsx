import { createFileRoute } from "@tanstack/react-router";

import { Page } from "@/components/Page";

export const Route = createFileRoute("/board/errors/$id")({
  component: () => <Page title="board/errors/$id">…</Page>,
});
