import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { answer, rest } from "@/api/client";
import { MEMORIES, memoryQuery } from "@/api/memories";
import type { MemoryView } from "@/api/schema";
import { WhenReady } from "@/components/States";
import { toast } from "@/components/Toasts";
import { useKept } from "@/lib/kept";

import { draftOf, fromDraft } from "./draft";
import { MemoryForm } from "./MemoryForm";

/** Correct a memory where it stands. The draft outlives the row, which is gone when it is scrolled away. */
export function MemoryEditor({ id, onClose }: { id: string; onClose: () => void }) {
  const memory = useQuery(memoryQuery(id));
  return (
    <div className="bg-canvas px-4 py-3">
      <WhenReady query={memory}>{(found) => <Editing memory={found} onClose={onClose} />}</WhenReady>
    </div>
  );
}

function Editing({ memory, onClose }: { memory: MemoryView; onClose: () => void }) {
  const queries = useQueryClient();
  const [draft, keep, drop] = useKept(`memory.${memory.id}`, draftOf(memory));
  const edit = useMutation({
    mutationFn: () =>
      answer(
        rest.PATCH("/api/memories/{id}", { params: { path: { id: memory.id } }, body: fromDraft(draft) }),
      ),
    onSuccess: async () => {
      drop();
      await queries.invalidateQueries({ queryKey: MEMORIES });
      onClose();
      toast("Corrected.");
    },
  });
  return (
    <MemoryForm
      draft={draft}
      action="Save"
      isBusy={edit.isPending}
      error={edit.error}
      onChange={keep}
      onSubmit={() => edit.mutate()}
      onCancel={() => {
        drop();
        onClose();
      }}
    />
  );
}
