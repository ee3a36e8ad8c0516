import { useMutation } from "@tanstack/react-query";
import { useState } from "react";

import { answer, rest } from "@/api/client";
import { Button } from "@/components/Button";
import { Card } from "@/components/Card";
import { CheckBox, Select } from "@/components/Field";
import { toast, toastError } from "@/components/Toasts";
import { plural } from "@/lib/words";

const FORMATS = [
  ["csv", "CSV, for a table"],
  ["jsonl", "JSON lines"],
] as const;

type Format = (typeof FORMATS)[number][0];

/** A row for every turn: counts, costs and decisions. */
export function ExportTurns() {
  const [format, setFormat] = useState<Format>("csv");
  const [hasText, setHasText] = useState(false);

  const download = useMutation({
    mutationFn: () =>
      answer(rest.GET("/api/assistant/export", { params: { query: { format, with_text: hasText } } })),
    onSuccess: ({ rows, content }) => {
      save(`turns.${format}`, content);
      toast(`${plural(rows, "turn")} exported.`);
    },
    onError: toastError,
  });

  return (
    <Card title="Export your turns">
      <div className="space-y-3">
        <p className="text-sm text-muted">A row for every turn: counts, costs and decisions, for research.</p>
        <Select
          label="Format"
          options={FORMATS}
          value={format}
          onChange={(event) => setFormat(event.target.value as Format)}
        />
        <CheckBox
          label="Also what people wrote"
          hint="Left out unless you say so."
          checked={hasText}
          onChange={(event) => setHasText(event.target.checked)}
        />
        <Button isBusy={download.isPending} onClick={() => download.mutate()}>
          Download
        </Button>
      </div>
    </Card>
  );
}

function save(name: string, content: string) {
  const url = URL.createObjectURL(new Blob([content], { type: "text/plain" }));
  const link = Object.assign(document.createElement("a"), { href: url, download: name });
  link.click();
  URL.revokeObjectURL(url);
}
