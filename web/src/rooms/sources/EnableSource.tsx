import { useState } from "react";

import type { SourceDetail } from "@/api/schema";
import { setEnabled } from "@/api/sources";
import { Button } from "@/components/Button";
import { Dialog } from "@/components/Dialog";
import { toast } from "@/components/Toasts";

import { useSourceAction } from "./useSourceAction";
import { WhatRuns } from "./WhatRuns";

/** On and off; what nobody has trusted yet is shown first. */
export function EnableSource({ source }: { source: SourceDetail }) {
  const { slug, name, enabled = false, trusted = true } = source;
  const [isAsking, setAsking] = useState(false);
  const choosing = useSourceAction(
    (isOn: boolean) => setEnabled(slug, isOn),
    (told) => {
      setAsking(false);
      toast(told.enabled ? `${name} is on: agents may use its tools.` : `${name} is off.`);
    },
  );

  if (enabled) {
    return (
      <Button isBusy={choosing.isPending} onClick={() => choosing.mutate(false)}>
        Disable it
      </Button>
    );
  }
  return (
    <>
      <Button
        kind="primary"
        isBusy={choosing.isPending}
        onClick={() => (trusted ? choosing.mutate(true) : setAsking(true))}
      >
        Enable it
      </Button>
      <Dialog
        title={`Do you trust ${name}?`}
        lead="It came with the project. If you enable it, this runs on your machine with your rights whenever an agent uses it:"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        isWide
      >
        <div className="rounded-md border p-3">
          <WhatRuns source={source} />
        </div>
        <p className="mt-3 text-sm text-muted">
          If any byte of its file changes, it is off again and you are asked anew.
        </p>
        <div className="mt-4 flex justify-end gap-2">
          <Button onClick={() => setAsking(false)}>Leave it off</Button>
          <Button kind="primary" isBusy={choosing.isPending} onClick={() => choosing.mutate(true)}>
            I trust it, enable it
          </Button>
        </div>
      </Dialog>
    </>
  );
}
