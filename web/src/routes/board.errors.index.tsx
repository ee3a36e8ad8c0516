import { createFileRoute } from "@tanstack/react-router";

import { Page } from "@/components/Page";

export const Route = createFileRoute("/board/errors/")({
  component: () => <Page title="board/errors">…</Page>,
});
