import { useQuery } from "@tanstack/react-query";

import { healthQuery } from "@/api/house";
import { Notice } from "@/components/States";

/** What is different without a model. */
export function OfflineNotice() {
  const model = useQuery(healthQuery).data?.model;
  if (!model?.offline) return null;
  return (
    <Notice>
      No model is set up, so drafts are made from templates, filled from your files, skills and memory.
      Checks, questions and everything else work the same; each such draft says that it is one.
    </Notice>
  );
}
