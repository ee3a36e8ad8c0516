import { createFileRoute } from "@tanstack/react-router";

import { Page } from "@/components/Page";

export const Route = createFileRoute("/coach/practice/")({
  component: () => <Page title="coach/practice">…</Page>,
});
