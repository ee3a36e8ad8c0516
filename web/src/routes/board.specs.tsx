import { createFileRoute } from "@tanstack/react-router";

import { Page } from "@/components/Page";

export const Route = createFileRoute("/board/specs")({ component: () => <Page title="board/specs">…</Page> });
