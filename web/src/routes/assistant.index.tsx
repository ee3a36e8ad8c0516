import { createFileRoute } from "@tanstack/react-router";

import { Page } from "@/components/Page";

export const Route = createFileRoute("/assistant/")({ component: () => <Page title="assistant">…</Page> });
