import { createFileRoute } from "@tanstack/react-router";

import { HomePage } from "@/rooms/home/HomePage";

export const Route = createFileRoute("/")({ component: HomePage });
