import { createFileRoute } from "@tanstack/react-router";

import { Page } from "@/components/Page";

export const Route = createFileRoute("/libraries/")({ component: () => <Page title="libraries">…</Page> });
