import { decide } from "@/api/board";
import { answer, rest } from "@/api/client";
import type { FailureSummary } from "@/api/schema";

import { useDoing } from "../useDoing";

const propose = ({ id }: FailureSummary) =>
  answer(rest.POST("/api/board/failures/{failure_id}/propose", { params: { path: { failure_id: id } } }));

/** Propose a change for a failure; or propose and approve it in one go, so that the next agent takes it. */
export function useFixing() {
  const takeBack = useDoing(decide.takeBack, {
    done: ({ title }) => `“${title}” is a proposal again. It waits under Approvals.`,
  });
  const create = useDoing(propose, {
    done: ({ change_id }) => `Proposed as ${change_id}. It waits under Approvals.`,
  });
  const fix = useDoing(
    async (failure: FailureSummary) => {
      const { change_id, project_id } = await propose(failure);
      return decide.approve({ id: change_id!, project_id }, "Fix now");
    },
    {
      done: ({ title }) => `“${title}” is in the queue.`,
      undo: (change) => () => takeBack.mutate(change),
    },
  );
  return { create, fix, isBusy: create.isPending || fix.isPending };
}
