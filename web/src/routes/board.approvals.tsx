import { createFileRoute } from "@tanstack/react-router";

import { Page } from "@/components/Page";

export const Route = createFileRoute("/board/approvals")({
  component: () => <Page title="board/approvals">…</Page>,
});
