import { createFileRoute } from "@tanstack/react-router";

import { Page } from "@/components/Page";

export const Route = createFileRoute("/memory")({ component: () => <Page title="memory">…</Page> });
