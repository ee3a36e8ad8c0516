import { createFileRoute } from "@tanstack/react-router";

import { Page } from "@/components/Page";

export const Route = createFileRoute("/coach/sessions/$id")({
  component: () => <Page title="coach/sessions/$id">…</Page>,
});
