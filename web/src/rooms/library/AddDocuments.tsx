import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";

import { ingestFolder, upload } from "@/api/library";
import type { LibraryView } from "@/api/schema";
import { Button } from "@/components/Button";
import { Card } from "@/components/Card";
import { Select, TextField } from "@/components/Field";
import { Problem } from "@/components/States";

import { DropZone } from "./DropZone";
import { chosenKind, KIND_CHOICES } from "./wording";

/** Two ways in: files over the wire, or a folder that this machine reads by itself. */
export function AddDocuments({ library: { name, root } }: { library: LibraryView }) {
  const [kind, setKind] = useState("");
  const [folder, setFolder] = useState(root ?? "");
  const navigate = useNavigate();
  const begun = {
    onSuccess: ({ run_id }: { run_id: string }) =>
      navigate({
        to: "/libraries/$name",
        params: { name },
        search: { tab: "documents", ingest: run_id },
      }),
  };
  const uploading = useMutation({
    mutationFn: (files: readonly File[]) => upload(name, files, chosenKind(kind)),
    ...begun,
  });
  const reading = useMutation({
    mutationFn: () => ingestFolder(name, folder.trim(), chosenKind(kind)),
    ...begun,
  });

  return (
    <Card title="Add documents" className="min-w-0 space-y-4">
      <Select
        label="Type"
        options={KIND_CHOICES}
        value={kind}
        onChange={(event) => setKind(event.target.value)}
      />
      <DropZone isBusy={uploading.isPending} onFiles={(files) => uploading.mutate(files)} />
      {uploading.error && (
        <Problem
          error={uploading.error}
          onRetry={() => uploading.variables && uploading.mutate(uploading.variables)}
        />
      )}
      <form
        className="space-y-2 border-t pt-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (!reading.isPending) reading.mutate();
        }}
      >
        <TextField
          label="Or a folder of this machine"
          hint="Its whole path. Later, read it again: only what changed is taken in."
          placeholder="/home/me/standards"
          value={folder}
          required
          onChange={(event) => setFolder(event.target.value)}
          error={reading.error?.message}
        />
        <Button type="submit" isBusy={reading.isPending}>
          {root && folder === root ? "Read it again" : "Read this folder"}
        </Button>
      </form>
    </Card>
  );
}
