import { createFileRoute } from "@tanstack/react-router";

import { Page } from "@/components/Page";

export const Route = createFileRoute("/journal/entries/$id")({
  component: () => <Page title="journal/entries/$id">…</Page>,
});
