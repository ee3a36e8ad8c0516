import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Download, Upload } from "lucide-react";
import { useRef } from "react";

import { answer, rest } from "@/api/client";
import { JOURNAL } from "@/api/journal";
import { Button } from "@/components/Button";
import { toast, toastError } from "@/components/Toasts";
import { plural } from "@/lib/words";

import { asJsonLines, readJsonLines } from "./jsonLines";

const LINES_AT_ONCE = 500;

/** The whole journal as a file, and back. */
export function Transfer() {
  const queries = useQueryClient();
  const picker = useRef<HTMLInputElement>(null);
  const download = useMutation({ mutationFn: exported, onSuccess: save, onError: toastError });
  const upload = useMutation({
    mutationFn: imported,
    onSuccess: ({ added, known }) => {
      void queries.invalidateQueries({ queryKey: JOURNAL });
      toast(`${plural(added, "line")} added, ${known} known already.`);
    },
    onError: toastError,
  });

  return (
    <div className="flex flex-wrap gap-2">
      <Button isBusy={download.isPending} onClick={() => download.mutate()}>
        <Download aria-hidden className="size-4" /> Export
      </Button>
      <Button isBusy={upload.isPending} onClick={() => picker.current?.click()}>
        <Upload aria-hidden className="size-4" /> Import
      </Button>
      <input
        ref={picker}
        type="file"
        accept=".jsonl,.ndjson,application/x-ndjson"
        aria-label="An exported journal"
        className="hidden"
        onChange={(event) => {
          const [file] = event.target.files ?? [];
          if (file) upload.mutate(file);
          event.target.value = "";
        }}
      />
    </div>
  );
}

async function exported(): Promise<string> {
  const lines: unknown[] = [];
  let after: string | null = null;
  do {
    const page: { lines: unknown[]; next: string | null } = await answer(
      rest.GET("/api/journal/export", { params: { query: { after } } }),
    );
    lines.push(...page.lines);
    after = page.next;
  } while (after);
  return asJsonLines(lines);
}

function save(text: string) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/x-ndjson" }));
  link.download = "journal.jsonl";
  link.click();
  URL.revokeObjectURL(link.href);
}

async function imported(file: File): Promise<{ added: number; known: number }> {
  const lines = readJsonLines(await file.text());
  const result = { added: 0, known: 0 };
  for (let start = 0; start < lines.length; start += LINES_AT_ONCE) {
    const some = lines.slice(start, start + LINES_AT_ONCE);
    const told = await answer(rest.POST("/api/journal/import", { body: { lines: some } }));
    result.added += told.imported;
    result.known += told.skipped;
  }
  return result;
}
