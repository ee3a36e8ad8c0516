import { Badge } from "@/components/Badge";
import { plain } from "@/lib/words";

import type { AnyStatus } from "./search";
import { STATUS } from "./statuses";

export function StatusBadge({ status }: { status: AnyStatus }) {
  const { tone, means } = STATUS[status];
  return (
    <Badge tone={tone} title={means}>
      {plain(status)}
    </Badge>
  );
}
