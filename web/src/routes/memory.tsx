import { createFileRoute } from "@tanstack/react-router";

import { readSearch } from "@/rooms/memory/filters";
import { MemoryPage } from "@/rooms/memory/MemoryPage";

export const Route = createFileRoute("/memory")({ validateSearch: readSearch, component: MemoryPage });
