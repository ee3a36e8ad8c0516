import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import { type ChangeRef, dismissConflict, overlapsQuery } from "@/api/changes";
import type { ChangeView } from "@/api/schema";
import { Button } from "@/components/Button";
import { Notice } from "@/components/States";
import { toastError } from "@/components/Toasts";
import { plural } from "@/lib/words";

import { useChangeMutation } from "./useChange";

/** How the server's word begins when a text lost against the file's. */
const LOST = "Edited in two places";

type Props = { at: ChangeRef; change: ChangeView };

/** What a person should know before anything else. */
export function Notes({ at, change }: Props) {
  return (
    <>
      {change.missing_since && (
        <Notice tone="warn">
          Its folder is gone from the project. Its texts are kept:{" "}
          <TabLink at={at} tab="revisions">
            restore a revision
          </TabLink>{" "}
          to bring it back.
        </Notice>
      )}
      {change.sync_error?.startsWith(LOST) && <LostText at={at} change={change} />}
      {change.sync_error && !change.sync_error.startsWith(LOST) && (
        <Notice tone="warn">
          <p className="font-medium">Something is wrong with its files.</p>
          <p className="break-words whitespace-pre-wrap">{change.sync_error}</p>
        </Notice>
      )}
      <Meets at={at} change={change} />
    </>
  );
}

function LostText({ at, change }: Props) {
  const dismiss = useChangeMutation(
    at,
    () => dismissConflict(at),
    (seen) => seen,
  );
  return (
    <Notice tone="warn">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <p className="min-w-0 grow break-words">
          {change.sync_error}{" "}
          <TabLink at={at} tab="revisions">
            Look at both
          </TabLink>
        </p>
        <Button
          className="text-ink"
          isBusy={dismiss.isPending}
          onClick={() => dismiss.mutate(undefined, { onError: toastError })}
        >
          I have seen it
        </Button>
      </div>
    </Notice>
  );
}

function Meets({ at, change }: Props) {
  const overlaps =
    useQuery({ ...overlapsQuery(at), enabled: change.status !== "archived" }).data?.overlaps ?? [];
  if (overlaps.length === 0) return null;
  return (
    <Notice>
      It meets {plural(overlaps.length, "other open change")}; they are not worked on at the same time.{" "}
      <TabLink at={at} tab="overlaps">
        See which
      </TabLink>
    </Notice>
  );
}

type TabLinkProps = { at: ChangeRef; tab: "revisions" | "overlaps"; children: string };

function TabLink({ at, tab, children }: TabLinkProps) {
  return (
    <Link
      to="/board/changes/$id"
      params={{ id: at.id }}
      search={{ tab, project: at.project }}
      className="underline underline-offset-2"
    >
      {children}
    </Link>
  );
}
