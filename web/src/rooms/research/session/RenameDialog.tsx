import { useState } from "react";

import { Button } from "@/components/Button";
import { Dialog } from "@/components/Dialog";
import { TextField } from "@/components/Field";

type Props = { title: string; isBusy: boolean; onRename: (title: string) => void; onClose: () => void };

export function RenameDialog({ title, isBusy, onRename, onClose }: Props) {
  const [text, setText] = useState(title);
  return (
    <Dialog title="Rename the conversation" isOpen onClose={onClose}>
      <form
        className="space-y-3"
        onSubmit={(event) => {
          event.preventDefault();
          onRename(text.trim());
        }}
      >
        <TextField
          label="Title"
          maxLength={200}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <div className="flex justify-end">
          <Button type="submit" kind="primary" isBusy={isBusy} disabled={!text.trim()}>
            Rename
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
