import { createFileRoute } from "@tanstack/react-router";

import { Page } from "@/components/Page";

export const Route = createFileRoute("/libraries/$name/paragraphs/$ref")({
  component: () => <Page title="libraries/$name/paragraphs/$ref">…</Page>,
});
