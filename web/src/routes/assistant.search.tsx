import { createFileRoute } from "@tanstack/react-router";

import { Page } from "@/components/Page";

export const Route = createFileRoute("/assistant/search")({
  component: () => <Page title="assistant/search">…</Page>,
});
