import { createFileRoute } from "@tanstack/react-router";

import { Page } from "@/components/Page";

export const Route = createFileRoute("/costs")({ component: () => <Page title="costs">…</Page> });
