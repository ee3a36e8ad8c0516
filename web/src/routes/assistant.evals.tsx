import { createFileRoute } from "@tanstack/react-router";

import { EvalsPage } from "@/rooms/assistant/evals/EvalsPage";

export const Route = createFileRoute("/assistant/evals")({ component: EvalsPage });
