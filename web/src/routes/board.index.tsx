import { createFileRoute } from "@tanstack/react-router";

import { Page } from "@/components/Page";

export const Route = createFileRoute("/board/")({ component: () => <Page title="board">…</Page> });
