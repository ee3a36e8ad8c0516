import { createFileRoute } from "@tanstack/react-router";

import { Page } from "@/components/Page";

export const Route = createFileRoute("/journal/")({ component: () => <Page title="journal">…</Page> });
