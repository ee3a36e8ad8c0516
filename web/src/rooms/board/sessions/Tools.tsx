import type { BoardToolView } from "@/api/schema";
import { Card } from "@/components/Card";
import { duration } from "@/lib/words";

/** How often each tool was used, the bars for a quick look. */
export function Tools({ tools }: { tools: readonly BoardToolView[] }) {
  const most = Math.max(1, ...tools.map(({ calls }) => calls));
  return (
    <Card title="By tool">
      {tools.length === 0 ? (
        <p className="text-sm text-muted">No tool was used yet. Tools are seen through the agent's hooks.</p>
      ) : (
        <table className="w-full text-sm">
          <thead className="text-left text-muted">
            <tr>
              <th scope="col" className="pb-1 font-normal">
                Tool
              </th>
              <th scope="col" className="pb-1 text-right font-normal">
                Calls
              </th>
              <th scope="col" className="pb-1 text-right font-normal">
                Failed
              </th>
              <th scope="col" className="pb-1 text-right font-normal">
                Average
              </th>
            </tr>
          </thead>
          <tbody>
            {tools.map(({ tool_name, calls, failed, average_duration_ms }) => (
              <tr key={tool_name} className="border-t">
                <th scope="row" className="py-1.5 pr-2 text-left font-medium break-all">
                  {tool_name}
                  <span
                    aria-hidden
                    className="mt-0.5 block h-1 rounded bg-accent"
                    style={{ width: `${(100 * calls) / most}%` }}
                  />
                </th>
                <td className="text-right">{calls}</td>
                <td className="text-right">{failed}</td>
                <td className="text-right whitespace-nowrap">
                  {average_duration_ms === null ? "–" : duration(average_duration_ms)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Card>
  );
}
