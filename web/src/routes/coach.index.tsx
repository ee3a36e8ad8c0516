import { createFileRoute } from "@tanstack/react-router";

import { Page } from "@/components/Page";

export const Route = createFileRoute("/coach/")({ component: () => <Page title="coach">…</Page> });
