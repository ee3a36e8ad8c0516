import { createFileRoute } from "@tanstack/react-router";

import { Page } from "@/components/Page";

export const Route = createFileRoute("/journal/search")({
  component: () => <Page title="journal/search">…</Page>,
});
