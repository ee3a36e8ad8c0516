import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { filesKey, shippedQuery } from "@/api/assistant";
import { answer, rest } from "@/api/client";
import { Button } from "@/components/Button";
import { Dialog } from "@/components/Dialog";
import { Notice, WhenReady } from "@/components/States";
import { toast, toastError } from "@/components/Toasts";

type Props = { plugin: string; path: string; isNew: boolean };

/** The plugin ships another text by now: looked at, taken, or left. */
export function Offer({ plugin, path, isNew }: Props) {
  const [isLooking, setLooking] = useState(false);
  const queries = useQueryClient();
  const params = { path: { plugin }, query: { path } };

  const settle = useMutation({
    mutationFn: async (isTaken: boolean) => {
      if (isTaken) await answer(rest.POST("/api/assistant/workspaces/{plugin}/accept", { params }));
      else await answer(rest.POST("/api/assistant/workspaces/{plugin}/decline", { params }));
    },
    onSuccess: (_, isTaken) => {
      setLooking(false);
      toast(isTaken ? `${path} is the plugin's now; yours is kept as a version.` : "Yours stays.");
      void queries.invalidateQueries({ queryKey: filesKey });
    },
    onError: toastError,
  });

  return (
    <Notice>
      <p>
        {isNew
          ? "The plugin ships this file by now, and you do not have it."
          : "The plugin ships another version of this file by now."}
      </p>
      <div className="mt-2 flex flex-wrap gap-2 text-ink">
        <Button onClick={() => setLooking(true)}>Look at it</Button>
        <Button isBusy={settle.isPending} onClick={() => settle.mutate(true)}>
          Take it
        </Button>
        <Button disabled={settle.isPending} onClick={() => settle.mutate(false)}>
          {isNew ? "Do without" : "Keep mine"}
        </Button>
      </div>
      {isLooking && <Shipped {...{ plugin, path }} onClose={() => setLooking(false)} />}
    </Notice>
  );
}

function Shipped({ plugin, path, onClose }: { plugin: string; path: string; onClose: () => void }) {
  const text = useQuery(shippedQuery(plugin, path));
  return (
    <Dialog title={`${path} as the plugin ships it`} isOpen isWide onClose={onClose}>
      <WhenReady query={text}>
        {(file) => (
          <pre
            tabIndex={0}
            className="max-h-[60vh] overflow-auto rounded-md bg-sunken p-3 font-mono text-xs whitespace-pre-wrap text-ink"
          >
            {file.text}
          </pre>
        )}
      </WhenReady>
    </Dialog>
  );
}
