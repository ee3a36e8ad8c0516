import { createFileRoute } from "@tanstack/react-router";

import { SettingsPage } from "@/rooms/settings/SettingsPage";

export const Route = createFileRoute("/settings")({ component: SettingsPage });
