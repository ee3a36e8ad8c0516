import { createFileRoute } from "@tanstack/react-router";

import { Page } from "@/components/Page";

export const Route = createFileRoute("/coach/practice/$id")({
  component: () => <Page title="coach/practice/$id">…</Page>,
});
