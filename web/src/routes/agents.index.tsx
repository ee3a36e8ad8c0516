import { createFileRoute } from "@tanstack/react-router";

import { Page } from "@/components/Page";

export const Route = createFileRoute("/agents/")({ component: () => <Page title="agents">…</Page> });
