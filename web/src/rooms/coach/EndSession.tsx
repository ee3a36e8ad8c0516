import { useMutation, useQueryClient } from "@tanstack/react-query";

import { endSession } from "@/api/coaching";
import { Button } from "@/components/Button";
import { Dialog } from "@/components/Dialog";
import { Problem } from "@/components/States";

type Props = { isOpen: boolean; onClose: () => void };

/** Asked before a session is wrapped up; its report follows. */
export function EndSession({ isOpen, onClose }: Props) {
  const queries = useQueryClient();
  const end = useMutation({
    mutationFn: endSession,
    onSuccess: () => {
      onClose();
      void queries.invalidateQueries({ queryKey: ["coach"] });
    },
  });
  return (
    <Dialog title="End this session?" isOpen={isOpen} onClose={onClose}>
      <p className="text-sm">
        The coach looks back at what was hard, remembers it, and picks katas to practise it. Your files and
        unsaved edits stay as they are. With a model this takes a moment.
      </p>
      {end.error && (
        <div className="mt-3">
          <Problem error={end.error} />
        </div>
      )}
      <div className="mt-4 flex justify-end gap-2">
        <Button onClick={onClose}>Go on working</Button>
        <Button kind="primary" isBusy={end.isPending} onClick={() => end.mutate()}>
          End the session
        </Button>
      </div>
    </Dialog>
  );
}
