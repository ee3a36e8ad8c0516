import { createFileRoute } from "@tanstack/react-router";

import { Page } from "@/components/Page";

export const Route = createFileRoute("/sources/")({ component: () => <Page title="sources">…</Page> });
