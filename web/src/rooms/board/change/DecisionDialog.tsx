import { useState } from "react";

import { Button } from "@/components/Button";
import { Dialog } from "@/components/Dialog";
import { TextArea } from "@/components/Field";
import { Problem } from "@/components/States";

import type { Decision } from "./decisions";

type Props = {
  decision: Decision;
  note: string;
  onNote: (note: string) => void;
  isBusy: boolean;
  error: Error | null;
  onDecide: () => void;
  onClose: () => void;
};

/** A decision that cannot be undone, or that somebody else must understand. */
export function DecisionDialog({ decision, note, onNote, isBusy, error, onDecide, onClose }: Props) {
  const [isTried, setTried] = useState(false);
  const isMissing = decision.note?.isNeeded === true && note.trim() === "";

  function submit() {
    setTried(true);
    if (!isMissing && !isBusy) onDecide();
  }

  return (
    <Dialog title={`${decision.name} this change`} lead={decision.does} isOpen onClose={onClose}>
      <form
        className="space-y-3"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <TextArea
          label={decision.note?.label}
          hint={decision.note?.hint}
          error={isTried && isMissing ? "Say it in a few words." : undefined}
          value={note}
          maxLength={5_000}
          onChange={({ target }) => onNote(target.value)}
        />
        {error && <Problem error={error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind={decision.kind} isBusy={isBusy}>
            {decision.name}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
