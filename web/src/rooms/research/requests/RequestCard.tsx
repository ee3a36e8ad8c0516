import type { RequestView } from "@/api/schema";
import { Time } from "@/components/Time";

import { CredentialRequest } from "./CredentialRequest";
import { PauseRequest } from "./PauseRequest";
import { PlanRequest } from "./PlanRequest";

export function RequestCard({ request }: { request: RequestView }) {
  const { asked, id, created_at } = request;
  return (
    <article className="rounded-md border border-warn/40 p-3">
      {"plan" in asked ? (
        <PlanRequest id={id} asked={asked} />
      ) : "source" in asked ? (
        <CredentialRequest id={id} asked={asked} />
      ) : (
        <PauseRequest id={id} asked={asked} />
      )}
      <p className="mt-2 text-xs text-muted">
        Asked <Time at={created_at} />
      </p>
    </article>
  );
}
