import { createFileRoute } from "@tanstack/react-router";

import { Page } from "@/components/Page";

export const Route = createFileRoute("/traces/$id")({ component: () => <Page title="traces/$id">…</Page> });
