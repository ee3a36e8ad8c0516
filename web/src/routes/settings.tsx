import { createFileRoute } from "@tanstack/react-router";

import { Page } from "@/components/Page";

export const Route = createFileRoute("/settings")({ component: () => <Page title="settings">…</Page> });
