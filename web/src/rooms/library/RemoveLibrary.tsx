import { Trash2 } from "lucide-react";
import { useState } from "react";

import { Button } from "@/components/Button";
import { Confirm } from "@/components/Dialog";

import { useRemoveLibrary } from "./useRemoveLibrary";

/** Asks first: what was read of the documents would have to be read again. */
export function RemoveLibrary({ name, onRemoved }: { name: string; onRemoved?: () => void }) {
  const [isAsking, setAsking] = useState(false);
  const removing = useRemoveLibrary(() => {
    setAsking(false);
    onRemoved?.();
  });

  return (
    <>
      <Button kind="quiet" onClick={() => setAsking(true)} aria-label={`Remove ${name}`}>
        <Trash2 aria-hidden className="size-4" />
        Remove
      </Button>
      <Confirm
        title={`Remove the library ${name}?`}
        action="Remove it"
        isOpen={isAsking}
        isBusy={removing.isPending}
        onConfirm={() => removing.mutate(name)}
        onClose={() => setAsking(false)}
      >
        Everything that was read into it goes, and agents can no longer ask it. The files that it was made
        from stay where they are, so you can make it again.
      </Confirm>
    </>
  );
}
