import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { trust, trustDiffQuery, trustQuery } from "@/api/trust";
import { Button } from "@/components/Button";
import { Dialog } from "@/components/Dialog";
import { Problem, WhenReady } from "@/components/States";
import { toast } from "@/components/Toasts";

type Props = { name: string; isOpen: boolean; onClose: () => void };

/** Shows every line of it, and trusts exactly what is shown. */
export function TrustDialog({ name, isOpen, onClose }: Props) {
  const queries = useQueryClient();
  const diff = useQuery({ ...trustDiffQuery(name), enabled: isOpen });
  const add = useMutation({
    mutationFn: (fingerprint: string) => trust(name, fingerprint),
    onSuccess: () => {
      toast(`${name} is used from now on, as it is.`);
      onClose();
    },
    onSettled: () => queries.invalidateQueries(trustQuery),
  });
  return (
    <Dialog
      title={name}
      lead="What has changed since it was trusted; all of it, if it never was."
      isOpen={isOpen}
      onClose={onClose}
      isWide
    >
      <WhenReady query={diff}>
        {({ diff: text, fingerprint }) => (
          <>
            <section
              tabIndex={0}
              aria-label="Difference"
              className="max-h-[55vh] overflow-auto rounded-md border bg-sunken p-3"
            >
              <pre className="text-xs break-all whitespace-pre-wrap">
                {text.split("\n").map((line, number) => (
                  <span key={number} className={toneOf(line)}>
                    {line}
                    {"\n"}
                  </span>
                ))}
              </pre>
            </section>
            {add.error && <Problem error={add.error} />}
            <div className="mt-4 flex justify-end gap-2">
              <Button onClick={onClose}>Not now</Button>
              <Button kind="primary" isBusy={add.isPending} onClick={() => add.mutate(fingerprint)}>
                Trust it as shown
              </Button>
            </div>
          </>
        )}
      </WhenReady>
    </Dialog>
  );
}

function toneOf(line: string): string | undefined {
  if (line.startsWith("+")) return "text-good";
  if (line.startsWith("-")) return "text-bad";
  return line.startsWith("@") ? "text-info" : undefined;
}
