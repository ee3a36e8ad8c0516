import { useQuery } from "@tanstack/react-query";

import { settingsQuery } from "@/api/house";
import type { SettingView } from "@/api/schema";
import { Badge } from "@/components/Badge";
import { Card } from "@/components/Card";
import { WhenReady } from "@/components/States";

/** Everything that can be set when the server starts; secrets are masked by the server. */
export function SettingsTable() {
  const settings = useQuery(settingsQuery);
  return (
    <Card title="What the server was started with">
      <WhenReady query={settings} lines={6}>
        {(known) => (
          <>
            <SettingList label="Set by you" settings={known.filter(({ is_set }) => is_set)} />
            <details>
              <summary className="py-2 text-sm text-muted">The others, with their defaults</summary>
              <SettingList label="Defaults" settings={known.filter(({ is_set }) => !is_set)} />
            </details>
          </>
        )}
      </WhenReady>
    </Card>
  );
}

function SettingList({ label, settings }: { label: string; settings: readonly SettingView[] }) {
  if (settings.length === 0)
    return <p className="pb-2 text-sm text-muted">Nothing: everything is at its default.</p>;
  return (
    <ul aria-label={label} className="divide-y">
      {settings.map(({ name, value, description, is_set }) => (
        <li key={name} className="py-2 text-sm">
          <p className="flex flex-wrap items-baseline gap-x-2">
            <code className="font-mono font-medium break-all">{name}</code>
            <span className="min-w-0 break-all text-muted">{value === null ? "not set" : String(value)}</span>
            {is_set && <Badge tone="info">set</Badge>}
          </p>
          <p className="text-muted">{description}</p>
        </li>
      ))}
    </ul>
  );
}
