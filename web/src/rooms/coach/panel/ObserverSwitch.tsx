import { useMutation } from "@tanstack/react-query";
import { Bell, BellOff } from "lucide-react";

import { muteObserver } from "@/api/coaching";
import { Button } from "@/components/Button";
import { Time } from "@/components/Time";
import { toastError } from "@/components/Toasts";

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
    <div className="flex items-center justify-between gap-2 text-sm">
      <p>
        <span className="font-medium">Observer</span>{" "}
        <span className="text-muted">
          {observer.muted ? "is muted." : "speaks up when you seem stuck."}
          {!observer.muted && observer.lastEvaluation && (
            <>
              {" "}
              Looked <Time at={observer.lastEvaluation} />.
            </>
          )}
        </span>
      </p>
      <Button
        kind="quiet"
        aria-pressed={observer.muted}
        isBusy={mute.isPending}
        onClick={() => mute.mutate(!observer.muted)}
      >
        <Icon aria-hidden className="size-4" />
        Mute
      </Button>
    </div>
  );
}
