import { useMutation } from "@tanstack/react-query";

import { answer, rest } from "@/api/client";
import { Badge } from "@/components/Badge";
import { Button } from "@/components/Button";
import { Card } from "@/components/Card";
import { TextArea } from "@/components/Field";
import { Problem } from "@/components/States";
import { useKept } from "@/lib/kept";

/** Context for an agent at the start of a task; people may ask the same. */
export function ContextPanel() {
  const [task, keep] = useKept("journal.context", "");
  const ask = useMutation({
    mutationFn: () => answer(rest.POST("/api/journal/context", { body: { query: task } })),
  });
  return (
    <Card title="Before a task">
      <form
        className="space-y-3"
        onSubmit={(event) => {
          event.preventDefault();
          ask.mutate();
        }}
      >
        <TextArea
          label="What are you about to do?"
          required
          rows={2}
          value={task}
          onChange={(event) => keep(event.target.value)}
        />
        <Button type="submit" isBusy={ask.isPending}>
          What should I know?
        </Button>
      </form>
      {ask.error && <Problem error={ask.error} />}
      {ask.data && (
        <ul className="mt-4 space-y-3 text-sm" aria-label="Worth knowing">
          {ask.data.items.map(({ id, kind, content, evidence }) => (
            <li key={id}>
              <Badge tone={kind === "value" ? "accent" : "info"}>{kind}</Badge> {content}
              <p className="text-muted">{evidence}</p>
            </li>
          ))}
          {ask.data.items.length === 0 && <li className="text-muted">Nothing in the journal fits that.</li>}
        </ul>
      )}
    </Card>
  );
}
