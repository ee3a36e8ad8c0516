import { createFileRoute } from "@tanstack/react-router";

import { Page } from "@/components/Page";

export const Route = createFileRoute("/assistant/sessions/$id")({
  component: () => <Page title="assistant/sessions/$id">…</Page>,
});
