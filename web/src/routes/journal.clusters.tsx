import { createFileRoute } from "@tanstack/react-router";

import { Page } from "@/components/Page";

export const Route = createFileRoute("/journal/clusters")({
  component: () => <Page title="journal/clusters">…</Page>,
});
