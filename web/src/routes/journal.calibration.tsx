import { createFileRoute } from "@tanstack/react-router";

import { Page } from "@/components/Page";

export const Route = createFileRoute("/journal/calibration")({
  component: () => <Page title="journal/calibration">…</Page>,
});
