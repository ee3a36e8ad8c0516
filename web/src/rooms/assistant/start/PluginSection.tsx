import { Link } from "@tanstack/react-router";
import { FolderOpen } from "lucide-react";

import type { PluginView } from "@/api/schema";
import { Badge } from "@/components/Badge";
import { buttonClass } from "@/components/Button";
import { plural } from "@/lib/words";

import { CommandCard } from "./CommandCard";
import { PluginHooks } from "./PluginHooks";

const ORIGINS: Record<string, string> = {
  shipped: "comes with Bottega",
  own: "your own",
  project: "this project's",
};

export function PluginSection({ plugin, chosen }: { plugin: PluginView; chosen?: string }) {
  return (
    <section aria-labelledby={`plugin-${plugin.name}`} className="space-y-3">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h2 id={`plugin-${plugin.name}`} className="text-lg font-semibold">
          {plugin.name}
        </h2>
        <Badge>{ORIGINS[plugin.origin] ?? plugin.origin}</Badge>
        <span className="text-sm text-muted">
          {plural(plugin.agents.length, "agent")}, {plural(plugin.skills.length, "skill")}
        </span>
        <Link
          to="/assistant/workspaces/$plugin"
          params={{ plugin: plugin.name }}
          className={`${buttonClass("quiet")} ml-auto`}
        >
          <FolderOpen aria-hidden className="size-4" />
          Your files
        </Link>
      </header>
      {plugin.problems.length > 0 && <Problems plugin={plugin} />}
      {plugin.commands.map((command) => (
        <CommandCard key={command.name} command={command} isOpen={command.name === chosen} />
      ))}
      {plugin.commands.length === 0 && plugin.problems.length === 0 && (
        <p className="text-sm text-muted">It has no commands yet: write one in its `commands` folder.</p>
      )}
      {plugin.agents.length > 0 && <PluginHooks plugin={plugin.name} />}
    </section>
  );
}

function Problems({ plugin }: { plugin: PluginView }) {
  return (
    <div className="rounded-md border border-warn/50 bg-warn-soft p-3 text-sm text-warn">
      <p className="font-medium">
        {plural(plugin.problems.length, "mistake")} in its files; what they would define is left out.
      </p>
      <ul className="mt-1 list-disc space-y-1 pl-5 font-mono text-xs break-words">
        {plugin.problems.map((problem) => (
          <li key={problem}>{problem}</li>
        ))}
      </ul>
    </div>
  );
}
