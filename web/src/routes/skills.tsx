import { createFileRoute } from "@tanstack/react-router";

import { Page } from "@/components/Page";

export const Route = createFileRoute("/skills")({ component: () => <Page title="skills">…</Page> });
