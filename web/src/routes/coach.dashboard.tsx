import { createFileRoute } from "@tanstack/react-router";

import { Page } from "@/components/Page";

export const Route = createFileRoute("/coach/dashboard")({
  component: () => <Page title="coach/dashboard">…</Page>,
});
