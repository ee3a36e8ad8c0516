import { Button } from "@/components/Button";

import { useMemoryChanges } from "./changes";
import { useMemorySearch } from "./useMemorySearch";

export function EditOrForget({ id, content }: { id: string; content: string }) {
  const { change } = useMemorySearch();
  const { forget } = useMemoryChanges();
  const name = content.slice(0, 60);
  return (
    <>
      <Button kind="quiet" onClick={() => change({ edit: id })} aria-label={`Edit: ${name}`}>
        Edit
      </Button>
      <Button
        kind="quiet"
        isBusy={forget.isPending}
        onClick={() => forget.mutate(id)}
        aria-label={`Forget: ${name}`}
      >
        Forget
      </Button>
    </>
  );
}
