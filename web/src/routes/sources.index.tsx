import { createFileRoute } from "@tanstack/react-router";

import { SourcesPage } from "@/rooms/sources/SourcesPage";

export const Route = createFileRoute("/sources/")({ component: SourcesPage });
