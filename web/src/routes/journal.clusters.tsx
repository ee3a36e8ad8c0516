import { createFileRoute } from "@tanstack/react-router";

import type { Axis } from "@/api/schema";
import { ClustersPage } from "@/rooms/journal/ClustersPage";
import { nameIn, word } from "@/lib/search";
import { AXES } from "@/rooms/journal/words";

export const Route = createFileRoute("/journal/clusters")({
  component: ClustersPage,
  validateSearch: ({ axis, cluster }: Record<string, unknown>): { axis?: Axis; cluster?: string } => ({
    axis: nameIn(AXES, axis),
    cluster: word(cluster),
  }),
});
