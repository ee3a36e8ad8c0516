import { createFileRoute } from "@tanstack/react-router";

import type { Axis } from "@/api/schema";
import { ClustersPage } from "@/rooms/journal/ClustersPage";
import { AXES, oneOf } from "@/rooms/journal/words";

export const Route = createFileRoute("/journal/clusters")({
  component: ClustersPage,
  validateSearch: ({ axis, cluster }: Record<string, unknown>): { axis?: Axis; cluster?: string } => ({
    axis: oneOf(AXES, axis),
    cluster: typeof cluster === "string" ? cluster : undefined,
  }),
});
