import type { ClusterView } from "@/api/schema";

/** People count from one. */
export function nameOf({ label }: Pick<ClusterView, "label">): string {
  return `Cluster ${label + 1}`;
}
