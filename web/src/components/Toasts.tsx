import { X } from "lucide-react";
import { useSyncExternalStore } from "react";

import { Button, IconButton } from "./Button";

type Toast = { id: number; text: string; tone: "good" | "bad"; undo?: () => void };

const SHOWN_FOR = 8_000;

let toasts: readonly Toast[] = [];
let lastId = 0;
const watchers = new Set<() => void>();

function change(next: readonly Toast[]) {
  toasts = next;
  for (const watcher of watchers) watcher();
}

function drop(id: number) {
  change(toasts.filter((toast) => toast.id !== id));
}

/** Say briefly that something is done, with a way back where there is one. */
export function toast(text: string, undo?: () => void): void {
  show({ text, tone: "good", undo });
}

/** Say what could not be done. Errors stay until they are closed. */
export function toastError(error: Error): void {
  show({ text: error.message, tone: "bad" });
}

function show(told: Omit<Toast, "id">) {
  const id = ++lastId;
  change([...toasts, { ...told, id }].slice(-4));
  if (told.tone === "good") setTimeout(() => drop(id), SHOWN_FOR);
}

function watch(watcher: () => void): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

export function Toasts() {
  const shown = useSyncExternalStore(watch, () => toasts);
  return (
    <div
      aria-live="polite"
      className="fixed right-4 bottom-18 z-50 md:bottom-4 flex w-96 max-w-[calc(100vw-2rem)] flex-col gap-2"
    >
      {shown.map(({ id, text, tone, undo }) => (
        <div
          key={id}
          role={tone === "bad" ? "alert" : "status"}
          className={`flex items-start gap-3 rounded-md border bg-surface p-3 text-sm shadow-lg ${tone === "bad" ? "border-bad/50 text-bad" : ""}`}
        >
          <p className="min-w-0 grow break-words">{text}</p>
          {undo && (
            <Button
              kind="quiet"
              className="-my-1 text-accent"
              onClick={() => {
                undo();
                drop(id);
              }}
            >
              Undo
            </Button>
          )}
          <IconButton label="Close" className="-my-1 -mr-1" onClick={() => drop(id)}>
            <X className="size-4" />
          </IconButton>
        </div>
      ))}
    </div>
  );
}
