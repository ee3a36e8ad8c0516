import { createFileRoute } from "@tanstack/react-router";

import { Page } from "@/components/Page";

export const Route = createFileRoute("/coach/sessions/")({
  component: () => <Page title="coach/sessions">…</Page>,
});
