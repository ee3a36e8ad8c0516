import { createFileRoute } from "@tanstack/react-router";

import type { Axis } from "@/api/schema";
import { ValuesPage } from "@/rooms/journal/ValuesPage";
import { nameIn } from "@/lib/search";
import { AXES } from "@/rooms/journal/words";

export const Route = createFileRoute("/journal/values")({
  component: ValuesPage,
  validateSearch: ({ axis }: Record<string, unknown>): { axis?: Axis } => ({ axis: nameIn(AXES, axis) }),
});
