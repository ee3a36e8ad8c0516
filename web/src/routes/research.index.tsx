import { createFileRoute } from "@tanstack/react-router";

import { Page } from "@/components/Page";

export const Route = createFileRoute("/research/")({ component: () => <Page title="research">…</Page> });
