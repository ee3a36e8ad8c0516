import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { fileQuery, filesKey, versionQuery, versionsQuery } from "@/api/assistant";
import { answer, rest } from "@/api/client";
import { Button } from "@/components/Button";
import { Dialog } from "@/components/Dialog";
import { Problem, WhenReady } from "@/components/States";
import { Time } from "@/components/Time";
import { toast } from "@/components/Toasts";
import { count, plural } from "@/lib/words";

type Props = { plugin: string; path: string; onRestored: () => void };

/** What the file said before, newest first. */
export function Versions({ plugin, path, onRestored }: Props) {
  const [shown, setShown] = useState<number | null>(null);
  const versions = useQuery(versionsQuery(plugin, path));

  return (
    <details className="text-sm">
      <summary className="text-muted">
        {plural(versions.data?.versions.length ?? 0, "earlier version")}
      </summary>
      <WhenReady query={versions}>
        {({ versions: found }) => (
          <ul className="mt-2 divide-y">
            {found.map(({ number, saved_at, size }) => (
              <li key={number} className="flex items-center gap-3 py-1">
                <span>Version {number}</span>
                <span className="grow text-muted">
                  <Time at={saved_at} />, {count(size)} bytes
                </span>
                <Button kind="quiet" onClick={() => setShown(number)}>
                  Look
                </Button>
              </li>
            ))}
            {found.length === 0 && <li className="py-1 text-muted">It was never changed.</li>}
          </ul>
        )}
      </WhenReady>
      {shown !== null && (
        <VersionDialog {...{ plugin, path, onRestored }} version={shown} onClose={() => setShown(null)} />
      )}
    </details>
  );
}

function VersionDialog({
  plugin,
  path,
  version,
  onRestored,
  onClose,
}: Props & { version: number; onClose: () => void }) {
  const text = useQuery(versionQuery(plugin, path, version));
  const queries = useQueryClient();
  const restore = useMutation({
    mutationFn: () =>
      answer(
        rest.POST("/api/assistant/workspaces/{plugin}/restore", {
          params: { path: { plugin }, query: { path, version } },
        }),
      ),
    onSuccess: (file) => {
      queries.setQueryData(fileQuery(plugin, path).queryKey, file);
      void queries.invalidateQueries({ queryKey: filesKey });
      onRestored();
      onClose();
      toast(`Version ${version} of ${path} is back; the one before is kept, too.`);
    },
  });

  return (
    <Dialog title={`Version ${version} of ${path}`} isOpen isWide onClose={onClose}>
      <WhenReady query={text}>
        {(file) => (
          <pre
            tabIndex={0}
            className="max-h-[55vh] overflow-auto rounded-md bg-sunken p-3 font-mono text-xs whitespace-pre-wrap"
          >
            {file.text}
          </pre>
        )}
      </WhenReady>
      {restore.error && <Problem error={restore.error} />}
      <Button kind="primary" className="mt-3" isBusy={restore.isPending} onClick={() => restore.mutate()}>
        Restore this version
      </Button>
    </Dialog>
  );
}
