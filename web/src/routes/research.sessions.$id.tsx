import { createFileRoute } from "@tanstack/react-router";

import { SessionPage } from "@/rooms/research/session/SessionPage";

export const Route = createFileRoute("/research/sessions/$id")({ component: SessionPage });
