import { useQuery } from "@tanstack/react-query";

import { healthQuery } from "@/api/house";

/** How to read the numbers. */
export function CostNotes() {
  const embedder = useQuery(healthQuery).data?.vectors?.embedder;
  const isRemote = embedder?.startsWith("openai:") ?? false;
  return (
    <section aria-label="How to read this" className="mt-6 space-y-1 text-sm text-muted">
      <p>
        Costs are estimated from the tokens that the provider counted and its list prices; its bill may be
        lower, for instance where it reads a prompt from its cache.
      </p>
      <p>
        A budget belongs to one piece of work: research and the assistant take a limit when they start, and
        stop before a call that would go beyond it. The house as a whole has none.
      </p>
      <p>
        {isRemote
          ? "Embeddings are made by another server and are not counted here."
          : "Embeddings are made on this machine and cost nothing."}
      </p>
    </section>
  );
}
