import { createFileRoute } from "@tanstack/react-router";

import { Page } from "@/components/Page";

export const Route = createFileRoute("/research/runs/$id")({
  component: () => <Page title="research/runs/$id">…</Page>,
});
