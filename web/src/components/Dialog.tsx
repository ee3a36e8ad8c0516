import { X } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import type { ReactNode } from "react";

import { Button, IconButton } from "./Button";

type Props = {
  title: string;
  lead?: ReactNode;
  isOpen: boolean;
  onClose: () => void;
  isWide?: boolean;
  children: ReactNode;
};

/** Above the page: closes with Escape, keeps the focus, gives it back. */
export function Dialog({ title, lead, isOpen, onClose, isWide = false, children }: Props) {
  return (
    <Radix.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-black/40" />
        <Radix.Content
          {...(lead ? {} : { "aria-describedby": undefined })}
          className={`fixed top-[8vh] left-1/2 z-50 flex max-h-[84vh] w-[calc(100vw-2rem)] -translate-x-1/2 flex-col rounded-lg border bg-surface shadow-xl ${isWide ? "max-w-3xl" : "max-w-lg"}`}
        >
          <header className="flex items-start justify-between gap-4 p-4 pb-2">
            <div>
              <Radix.Title className="font-semibold">{title}</Radix.Title>
              {lead && <Radix.Description className="text-sm text-muted">{lead}</Radix.Description>}
            </div>
            <Radix.Close asChild>
              <IconButton label="Close">
                <X className="size-4" />
              </IconButton>
            </Radix.Close>
          </header>
          <div className="min-h-0 overflow-y-auto p-4 pt-2">{children}</div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

type ConfirmProps = {
  title: string;
  children: ReactNode;
  action: string;
  isOpen: boolean;
  isBusy?: boolean;
  onConfirm: () => void;
  onClose: () => void;
};

/** Asked before something that cannot be undone. */
export function Confirm({ title, children, action, isOpen, isBusy, onConfirm, onClose }: ConfirmProps) {
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose}>
      <div className="text-sm">{children}</div>
      <div className="mt-4 flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="danger" isBusy={isBusy} onClick={onConfirm}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
