import { useMutation, useQueryClient } from "@tanstack/react-query";

import { answer, rest } from "@/api/client";
import { MEMORIES } from "@/api/memories";
import { Card } from "@/components/Card";
import { toast } from "@/components/Toasts";
import { useKept } from "@/lib/kept";

import { EMPTY, fromDraft } from "./draft";
import { MemoryForm } from "./MemoryForm";

export function NewMemory({ onClose }: { onClose: () => void }) {
  const queries = useQueryClient();
  const [draft, keep, drop] = useKept("memory.new", EMPTY);
  const add = useMutation({
    mutationFn: () => answer(rest.POST("/api/memories", { body: fromDraft(draft) })),
    onSuccess: async () => {
      drop();
      onClose();
      toast("Remembered.");
      await queries.invalidateQueries({ queryKey: MEMORIES });
    },
  });
  return (
    <Card title="Remember something">
      <MemoryForm
        draft={draft}
        action="Remember"
        isBusy={add.isPending}
        error={add.error}
        onChange={keep}
        onSubmit={() => add.mutate()}
        onCancel={() => {
          drop();
          onClose();
        }}
      />
    </Card>
  );
}
