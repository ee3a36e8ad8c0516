import type { SourceDetail } from "@/api/schema";
import { Fields } from "@/rooms/agents/Fields";

/** Exactly what would be started or asked, and what it would be given. */
export function WhatRuns({ source }: { source: SourceDetail }) {
  const { program = [], cwd, url, given = {}, type } = source;
  return (
    <Fields
      fields={[
        ["Program", program.length > 0 && <Words words={program} />],
        ["In the folder", cwd && <code className="font-mono break-all">{cwd}</code>],
        ["Address", url && <code className="font-mono break-all">{url}</code>],
        [
          type === "stdio" ? "With, in its environment" : "With, in its headers",
          Object.keys(given).length > 0 && <Given given={given} />,
        ],
      ]}
    />
  );
}

/** Word by word, so that a blank in one cannot hide another. */
function Words({ words }: { words: readonly string[] }) {
  return (
    <ol className="space-y-1">
      {words.map((word, index) => (
        <li key={index}>
          <code className="rounded bg-sunken px-1.5 py-0.5 font-mono break-all whitespace-pre-wrap">
            {word}
          </code>
        </li>
      ))}
    </ol>
  );
}

function Given({ given }: { given: Record<string, string | null> }) {
  return (
    <ul className="space-y-1">
      {Object.entries(given).map(([name, value]) => (
        <li key={name} className="font-mono break-all">
          {name}
          {value === null ? <span className="font-sans text-muted"> as its file says</span> : `=${value}`}
        </li>
      ))}
    </ul>
  );
}
