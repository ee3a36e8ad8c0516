import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Upload } from "lucide-react";
import { useMemo, useState } from "react";

import { boardKey, sendReport } from "@/api/board";
import { projectsQuery } from "@/api/projects";
import { Button } from "@/components/Button";
import { Dialog } from "@/components/Dialog";
import { Select } from "@/components/Field";
import { Problem } from "@/components/States";
import { useCommands } from "@/shell/commands";

import { useBoardSearch } from "../search";
import { DropZone } from "./DropZone";
import { Outcome } from "./Outcome";

/** Send a test report, and see what it brought. */
export function UploadReport() {
  const [isOpen, setIsOpen] = useState(false);
  const commands = useMemo(() => [{ name: "Send a test report", run: () => setIsOpen(true) }], []);
  useCommands("Board", commands);
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>
        <Upload aria-hidden className="size-4" />
        Send a test report
      </Button>
      <Dialog
        title="Send a test report"
        lead="JUnit XML, as pytest and most others write it, or Playwright's JSON."
        isOpen={isOpen}
        onClose={() => setIsOpen(false)}
      >
        <Sending onDone={() => setIsOpen(false)} />
      </Dialog>
    </>
  );
}

function Sending({ onDone }: { onDone: () => void }) {
  const queries = useQueryClient();
  const [search] = useBoardSearch();
  const projects = (useQuery(projectsQuery).data ?? []).filter(({ missing_since }) => !missing_since);
  const [chosen, setChosen] = useState(search.project);
  const project = chosen ?? projects[0]?.id;
  const send = useMutation({
    mutationFn: (report: File) => sendReport(project!, report),
    onSuccess: () => queries.invalidateQueries({ queryKey: boardKey }),
  });

  if (send.data) return <Outcome result={send.data} onAnother={send.reset} onDone={onDone} />;
  return (
    <div className="space-y-4">
      {projects.length > 1 && (
        <Select
          label="Of which project"
          value={project}
          options={projects.map(({ id, name }) => [id, name] as const)}
          onChange={(event) => setChosen(event.target.value)}
        />
      )}
      <DropZone isBusy={send.isPending} onFile={(file) => send.mutate(file)} />
      {send.error && <Problem error={send.error} />}
    </div>
  );
}
