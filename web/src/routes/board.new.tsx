import { createFileRoute } from "@tanstack/react-router";

import { Page } from "@/components/Page";

export const Route = createFileRoute("/board/new")({ component: () => <Page title="board/new">…</Page> });
