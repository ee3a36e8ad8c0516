import { answer, rest } from "@/api/client";
import type { FailureClass, FailureView } from "@/api/schema";
import { Card } from "@/components/Card";
import { Select } from "@/components/Field";

import { CLASSES } from "../search";
import { useDoing } from "../useDoing";
import { CLASS } from "./FailureClassBadge";

/** Its class: by the rules, or by a person, whose word stands until they give it back. */
export function Classified({ failure }: { failure: FailureView }) {
  const classify = useDoing((classification: FailureClass | null) =>
    answer(
      rest.POST("/api/board/failures/{failure_id}/classify", {
        params: { path: { failure_id: failure.id } },
        body: { classification },
      }),
    ),
  );
  return (
    <Card title="Class">
      <Select
        label="Kind of failure"
        disabled={classify.isPending}
        value={failure.classified_by_person ? failure.classification : ""}
        options={[
          [
            "",
            failure.classified_by_person
              ? "Let the rules say"
              : `By the rules: ${failure.classification.toLowerCase()}`,
          ],
          ...CLASSES.map((name) => [name, `${name.toLowerCase()}: ${CLASS[name].means}`] as const),
        ]}
        onChange={(event) => classify.mutate((event.target.value || null) as FailureClass | null)}
      />
    </Card>
  );
}
