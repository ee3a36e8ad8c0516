import { useQuery } from "@tanstack/react-query";

import { agreementQuery } from "@/api/board";
import { percent } from "@/lib/words";

/** How often people decided as the rules had suggested. */
export function AgreementNote({ project }: { project?: string }) {
  const agreement = useQuery(agreementQuery(project)).data;
  if (!agreement) return null;
  const { decided, agreed, share } = agreement;
  return (
    <p className="mb-3 text-sm text-muted">
      {share === null
        ? "The rules suggest what to do with each failure. Once you decide on some, you see here how often they agree with you."
        : `People decided as the rules had suggested in ${agreed} of ${decided} cases (${percent(share)}).`}
    </p>
  );
}
