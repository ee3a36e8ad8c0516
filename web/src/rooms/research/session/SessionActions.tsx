import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";

import { changeSession, RESEARCH, removeSession } from "@/api/research";
import type { ResearchSessionView, SessionChanges } from "@/api/schema";
import { Button } from "@/components/Button";
import { Confirm } from "@/components/Dialog";
import { toast, toastError } from "@/components/Toasts";

import { RenameDialog } from "./RenameDialog";

export function SessionActions({ session }: { session: ResearchSessionView }) {
  const [asking, setAsking] = useState<"rename" | "remove">();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const refresh = () => queries.invalidateQueries({ queryKey: RESEARCH });

  const changing = useMutation({
    mutationFn: (changes: SessionChanges) => changeSession(session.id, changes),
    onSuccess: (_, changes) => {
      if (changes.archived) toast("Archived.", () => changing.mutate({ archived: false }));
      setAsking(undefined);
    },
    onError: toastError,
    onSettled: refresh,
  });
  const removing = useMutation({
    // The page goes first: it would ask for what is not there any more.
    mutationFn: async () => {
      await navigate({ to: "/research" });
      await removeSession(session.id);
    },
    onSuccess: () => toast("The conversation is deleted."),
    onError: toastError,
    onSettled: refresh,
  });

  return (
    <>
      <Button onClick={() => setAsking("rename")}>Rename</Button>
      <Button isBusy={changing.isPending} onClick={() => changing.mutate({ archived: !session.archived_at })}>
        {session.archived_at ? "Take out of the archive" : "Archive"}
      </Button>
      <Button kind="danger" onClick={() => setAsking("remove")}>
        Delete
      </Button>
      {asking === "rename" && (
        <RenameDialog
          title={session.title ?? ""}
          isBusy={changing.isPending}
          onRename={(title) => changing.mutate({ title })}
          onClose={() => setAsking(undefined)}
        />
      )}
      <Confirm
        title="Delete this conversation?"
        action="Delete it"
        isOpen={asking === "remove"}
        isBusy={removing.isPending}
        onConfirm={() => removing.mutate()}
        onClose={() => setAsking(undefined)}
      >
        Its messages go with it and cannot be brought back. Export it first, or archive it instead, to keep
        them.
      </Confirm>
    </>
  );
}
