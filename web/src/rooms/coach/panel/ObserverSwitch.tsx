import { useMutation } from "@tanstack/react-query";
import { Bell, BellOff } from "lucide-react";

import type { ObserverStatus } from "@/api/coach";
import { muteObserver } from "@/api/coaching";
import { Button } from "@/components/Button";
import { toastError } from "@/components/Toasts";
import { ago } from "@/lib/words";

import { useDesk } from "../desk/store";

export function useMute() {
  const observer = useDesk((state) => state.observer);
  const mute = useMutation({ mutationFn: muteObserver, onError: toastError });
  return { observer, mute };
}

/** Whether the observer watches, and a way to have it be quiet. */
export function ObserverSwitch() {
  const { observer, mute } = useMute();
  const Icon = observer.muted ? BellOff : Bell;
  return (
    <div className="shrink-0 text-sm">
      <p className="font-medium">Observer: {observer.muted ? "muted" : "watching"}</p>
      <Button
        kind="quiet"
        className="-ml-2 px-2! py-0.5!"
        aria-pressed={observer.muted}
        isBusy={mute.isPending}
        title={said(observer)}
        onClick={() => mute.mutate(!observer.muted)}
      >
        <Icon aria-hidden className="size-4" />
        Mute
      </Button>
    </div>
  );
}

function said({ muted, lastEvaluation }: ObserverStatus): string {
  if (muted) return "It says nothing until you let it.";
  const looked = lastEvaluation ? ` It last looked ${ago(lastEvaluation)}.` : "";
  return `It speaks up when you seem stuck, or in the wrong file.${looked}`;
}
