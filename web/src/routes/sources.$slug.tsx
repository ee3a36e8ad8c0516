import { createFileRoute } from "@tanstack/react-router";

import { Page } from "@/components/Page";

export const Route = createFileRoute("/sources/$slug")({
  component: () => <Page title="sources/$slug">…</Page>,
});
