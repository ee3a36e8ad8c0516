import type { FailureSummary } from "@/api/schema";
import { Button } from "@/components/Button";

import { ChangeLink } from "../ChangeLink";
import { StatusBadge } from "../StatusBadge";
import { useFixing } from "./useFixing";

/** The two ways to a fix; or the change that is on its way already. */
export function FixButtons({ failure }: { failure: FailureSummary }) {
  const { create, fix, isBusy } = useFixing();
  if (failure.change_id && failure.change_status && failure.change_status !== "archived") {
    return (
      <p className="flex flex-wrap items-center gap-2 text-sm">
        <ChangeLink id={failure.change_id} project={failure.project_id} className="text-accent underline">
          Its change
        </ChangeLink>
        <StatusBadge status={failure.change_status} />
      </p>
    );
  }
  if (!failure.is_failing) return null;
  return (
    <div className="flex flex-wrap gap-2">
      <Button
        title="Propose a change and approve it at once: the next agent takes it"
        isBusy={fix.isPending}
        disabled={isBusy}
        onClick={() => fix.mutate(failure)}
      >
        Fix now
      </Button>
      <Button
        title="Propose a change, to be read and approved first"
        isBusy={create.isPending}
        disabled={isBusy}
        onClick={() => create.mutate(failure)}
      >
        Create spec
      </Button>
    </div>
  );
}
