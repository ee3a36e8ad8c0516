import { useQuery } from "@tanstack/react-query";

import type { SourceDetail } from "@/api/schema";
import { sourceToolsQuery } from "@/api/sources";
import { Card } from "@/components/Card";
import { Empty, WhenReady } from "@/components/States";
import { plural } from "@/lib/words";

/** What agents can call; a source that is off, or that cannot answer yet, is not asked. */
export function Tools({ source }: { source: SourceDetail }) {
  const { slug, trusted = true, enabled = false, health, stored } = source;
  const isOn = trusted && enabled;
  const needsAuth = health === "needs_auth";
  const tools = useQuery({ ...sourceToolsQuery(slug, stored), enabled: isOn && !needsAuth });
  if (!isOn || needsAuth) {
    return (
      <Card title="Tools">
        <p className="text-sm text-muted">
          {isOn
            ? "It answers only to who has signed in, or given its credential."
            : "Enable it to see what agents could call."}
        </p>
      </Card>
    );
  }
  return (
    <Card title="Tools" note={tools.data && plural(tools.data.tools.length, "tool")}>
      <WhenReady query={tools}>
        {({ tools }) =>
          tools.length ? (
            <ul className="divide-y text-sm">
              {tools.map(({ name, description }) => (
                <li key={name} className="py-2">
                  <code className="font-mono font-medium">{name}</code>
                  {description && <p className="text-muted">{description}</p>}
                </li>
              ))}
            </ul>
          ) : (
            <Empty title="It offers no tools">Is it the server you meant?</Empty>
          )
        }
      </WhenReady>
    </Card>
  );
}
