import { createFileRoute } from "@tanstack/react-router";

import { LibrariesPage } from "@/rooms/library/LibrariesPage";

export const Route = createFileRoute("/libraries/")({ component: LibrariesPage });
