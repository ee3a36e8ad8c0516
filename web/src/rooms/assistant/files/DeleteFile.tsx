import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";

import { fileQuery, filesKey, removeFile, writeFile } from "@/api/assistant";
import type { FileView } from "@/api/schema";
import { Button } from "@/components/Button";
import { toast, toastError } from "@/components/Toasts";

type Props = { plugin: string; file: FileView; onDeleted: () => void };

/** Gone at once, with a way back. */
export function DeleteFile({ plugin, file, onDeleted }: Props) {
  const queries = useQueryClient();
  const navigate = useNavigate();

  async function bringBack() {
    await writeFile(plugin, file.path, file.text).catch(toastError);
    void queries.invalidateQueries({ queryKey: filesKey });
  }

  const remove = useMutation({
    mutationFn: () => removeFile(plugin, file.path),
    onSuccess: async () => {
      onDeleted();
      toast(`${file.path} is deleted.`, () => void bringBack());
      await navigate({ to: ".", search: (now) => ({ ...now, file: undefined, view: undefined }) });
      queries.removeQueries({ queryKey: fileQuery(plugin, file.path).queryKey });
      void queries.invalidateQueries({ queryKey: filesKey });
    },
    onError: toastError,
  });

  return (
    <Button kind="quiet" className="text-bad" isBusy={remove.isPending} onClick={() => remove.mutate()}>
      Delete
    </Button>
  );
}
