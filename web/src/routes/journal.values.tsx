import { createFileRoute } from "@tanstack/react-router";

import { Page } from "@/components/Page";

export const Route = createFileRoute("/journal/values")({
  component: () => <Page title="journal/values">…</Page>,
});
