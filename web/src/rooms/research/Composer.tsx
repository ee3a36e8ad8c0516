import type { KeyboardEvent, ReactNode } from "react";

import { Button } from "@/components/Button";
import { TextArea } from "@/components/Field";
import { Problem } from "@/components/States";

type Props = {
  label: string;
  isLabelHidden?: boolean;
  hint?: ReactNode;
  placeholder?: string;
  action: string;
  text: string;
  onText: (text: string) => void;
  onSend: () => void;
  isBusy: boolean;
  error: Error | null;
  /** Between the words and the button. */
  choices?: ReactNode;
  /** Beside the button. */
  children?: ReactNode;
};

/** Words to send: with the button, or with Ctrl Enter. What was refused stays as it is. */
export function Composer({ label, isLabelHidden, hint, placeholder, action, ...props }: Props) {
  const { text, onText, onSend, isBusy, error, choices, children } = props;
  const isReady = text.trim() !== "" && !isBusy;

  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    if (isReady) onSend();
  }

  return (
    <form
      className="space-y-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) onSend();
      }}
    >
      <TextArea
        label={label}
        isLabelHidden={isLabelHidden}
        hint={hint}
        placeholder={placeholder}
        rows={3}
        value={text}
        onChange={(event) => onText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      {choices}
      {error && <Problem error={error} />}
      <div className="flex flex-wrap items-center justify-between gap-3">
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">{children}</div>
        <Button
          type="submit"
          kind="primary"
          isBusy={isBusy}
          disabled={!isReady}
          title={`${action} (Ctrl Enter)`}
        >
          {action}
        </Button>
      </div>
    </form>
  );
}
