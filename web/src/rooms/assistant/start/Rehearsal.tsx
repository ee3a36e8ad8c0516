import { useQuery } from "@tanstack/react-query";

import { answer, rest } from "@/api/client";
import type { AssistantStartInput } from "@/api/schema";
import { Dialog } from "@/components/Dialog";
import { WhenReady } from "@/components/States";
import { count, plain } from "@/lib/words";

/** What a model would be told, and what each part of it takes. */
export function Rehearsal({ order, onClose }: { order: AssistantStartInput; onClose: () => void }) {
  const prompt = useQuery({
    queryKey: ["assistant", "rehearsal", order],
    queryFn: () => answer(rest.POST("/api/assistant/rehearsals", { body: order })),
  });

  return (
    <Dialog
      title="The prompt it would start with"
      lead="Put together from your files and the plugin's. Nothing is sent anywhere."
      isOpen
      isWide
      onClose={onClose}
    >
      <WhenReady query={prompt} lines={10}>
        {({ text, tokens, tokens_by_section }) => (
          <div className="space-y-4">
            <table className="w-full text-sm">
              <caption className="mb-1 text-left font-medium">About {count(tokens)} tokens</caption>
              <tbody>
                {Object.entries(tokens_by_section).map(([section, size]) => (
                  <tr key={section} className="border-t">
                    <th scope="row" className="py-1 pr-4 text-left font-normal">
                      {plain(section)}
                    </th>
                    <td className="py-1 text-right tabular-nums">{count(size)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
            <pre
              tabIndex={0}
              className="max-h-[50vh] overflow-auto rounded-md bg-sunken p-3 font-mono text-xs whitespace-pre-wrap"
            >
              {text}
            </pre>
          </div>
        )}
      </WhenReady>
    </Dialog>
  );
}
