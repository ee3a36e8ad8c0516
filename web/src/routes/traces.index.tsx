import { createFileRoute } from "@tanstack/react-router";

import { Page } from "@/components/Page";

export const Route = createFileRoute("/traces/")({ component: () => <Page title="traces">…</Page> });
