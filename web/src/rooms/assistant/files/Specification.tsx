import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useRef, useState } from "react";

import { filesKey } from "@/api/assistant";
import { answer, rest } from "@/api/client";
import { Button } from "@/components/Button";
import { CheckBox } from "@/components/Field";
import { Problem } from "@/components/States";
import { toast } from "@/components/Toasts";
import { plural } from "@/lib/words";

/** A specification as PDF becomes a curriculum file, its codes tagged for look-up. */
export function Specification({ plugin }: { plugin: string }) {
  const [isReplacing, setReplacing] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const queries = useQueryClient();
  const navigate = useNavigate();

  const take = useMutation({
    mutationFn: (pdf: File) =>
      answer(
        rest.POST("/api/assistant/workspaces/{plugin}/specification", {
          params: { path: { plugin }, query: { name: pdf.name, replace: isReplacing } },
          body: pdf as never,
          bodySerializer: (body: unknown) => body as Blob,
          headers: { "Content-Type": "application/pdf" },
        }),
      ),
    onSuccess: async ({ path, pages, codes, empty_pages }) => {
      const unread = empty_pages.length > 0 ? ` ${plural(empty_pages.length, "page")} had no text.` : "";
      toast(`${plural(pages, "page")} with ${plural(codes, "outcome code")} are in ${path}.${unread}`);
      await queries.invalidateQueries({ queryKey: filesKey });
      await navigate({ to: ".", search: (now) => ({ ...now, file: path, view: "file" as const }) });
    },
  });

  return (
    <div className="space-y-2">
      <input
        ref={input}
        type="file"
        accept="application/pdf,.pdf"
        aria-label="A specification as PDF"
        className="sr-only"
        tabIndex={-1}
        onChange={(event) => {
          const pdf = event.target.files?.[0];
          if (pdf) take.mutate(pdf);
          event.target.value = "";
        }}
      />
      <Button isBusy={take.isPending} onClick={() => input.current?.click()}>
        Choose a PDF
      </Button>
      <CheckBox
        label="Replace the file of that name, if there is one"
        checked={isReplacing}
        onChange={(event) => setReplacing(event.target.checked)}
      />
      {take.error && <Problem error={take.error} />}
    </div>
  );
}
