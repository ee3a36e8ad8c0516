import { useMutation, useQueryClient } from "@tanstack/react-query";

import { boardKey } from "@/api/board";
import { Button } from "@/components/Button";
import { Dialog } from "@/components/Dialog";
import { TextArea } from "@/components/Field";
import { Problem } from "@/components/States";
import { toast } from "@/components/Toasts";
import { useKept } from "@/lib/kept";

type Props = {
  title: string;
  lead: string;
  label: string;
  action: string;
  done: string;
  /** What the words belong to, so that they are kept apart. */
  draftKey: string;
  isOpen: boolean;
  onClose: () => void;
  send: (reason: string) => Promise<unknown>;
};

/** A decision that needs a reason. */
export function ReasonDialog(props: Props) {
  const { title, lead, isOpen, onClose } = props;
  return (
    <Dialog title={title} lead={lead} isOpen={isOpen} onClose={onClose}>
      <Reason {...props} />
    </Dialog>
  );
}

function Reason({ label, action, done, draftKey, onClose, send }: Props) {
  const queries = useQueryClient();
  const [reason, setReason] = useKept(draftKey, "");
  const sending = useMutation({
    mutationFn: () => send(reason.trim()),
    onSuccess: () => {
      setReason("");
      onClose();
      toast(done);
      return queries.invalidateQueries({ queryKey: boardKey });
    },
  });
  return (
    <form
      className="space-y-3"
      onSubmit={(event) => {
        event.preventDefault();
        sending.mutate();
      }}
    >
      <TextArea
        label={label}
        value={reason}
        maxLength={5_000}
        onChange={(event) => setReason(event.target.value)}
      />
      {sending.error && <Problem error={sending.error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" kind="danger" isBusy={sending.isPending} disabled={!reason.trim()}>
          {action}
        </Button>
      </div>
    </form>
  );
}
