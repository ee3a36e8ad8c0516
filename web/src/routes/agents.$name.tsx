import { createFileRoute } from "@tanstack/react-router";

import { Page } from "@/components/Page";

export const Route = createFileRoute("/agents/$name")({
  component: () => <Page title="agents/$name">…</Page>,
});
