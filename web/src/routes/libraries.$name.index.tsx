import { createFileRoute } from "@tanstack/react-router";

import { Page } from "@/components/Page";

export const Route = createFileRoute("/libraries/$name/")({
  component: () => <Page title="libraries/$name">…</Page>,
});
