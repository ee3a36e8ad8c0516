import { Card } from "@/components/Card";
import { CopyBlock } from "@/rooms/agents/CopyBlock";

const PROGRAM = `{
  "type": "stdio",
  "name": "My notes",
  "description": "What it is good for.",
  "command": "npx",
  "args": ["-y", "my-notes-server"],
  "env": { "NOTES_KEY": "\${credential:notes}" }
}
`;
const ADDRESS = `{
  "type": "http",
  "name": "Tides",
  "url": "https://tides.example/mcp",
  "auth": { "type": "bearer", "credential": "tides" }
}
`;

/** Where a source's file goes, and what the least of it says. */
export function AddSource({ places }: { places: readonly string[] }) {
  const [project, own] = places;
  return (
    <Card title="Add one of your own" note="It appears here as soon as its file is there.">
      <div className="grid gap-4 lg:grid-cols-2">
        <div className="min-w-0 space-y-2">
          <h3 className="text-sm font-medium">A program, for this project</h3>
          <CopyBlock label={`${project}/notes/config.json`} text={PROGRAM} />
        </div>
        <div className="min-w-0 space-y-2">
          <h3 className="text-sm font-medium">An address, for all your projects</h3>
          <CopyBlock label={`${own}/tides/config.json`} text={ADDRESS} />
        </div>
      </div>
      <p className="mt-3 text-sm text-muted">
        Secrets never stand in the file: name a credential, and enter it on the source's page.
      </p>
    </Card>
  );
}
