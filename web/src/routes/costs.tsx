import { createFileRoute } from "@tanstack/react-router";

import { oneOf } from "@/lib/search";
import { CostsPage } from "@/rooms/costs/CostsPage";
import { type Period, PERIODS } from "@/rooms/costs/periods";

export const Route = createFileRoute("/costs")({
  validateSearch: ({ days }: Record<string, unknown>): { days?: Period } => ({ days: oneOf(days, PERIODS) }),
  component: () => <CostsPage {...Route.useSearch()} />,
});
