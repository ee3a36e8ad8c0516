import { Link } from "@tanstack/react-router";

import type { CommandView } from "@/api/schema";
import { Badge } from "@/components/Badge";
import { buttonClass } from "@/components/Button";
import { Card } from "@/components/Card";

import { commandTitle } from "../words";
import { StartForm } from "./StartForm";

export function CommandCard({ command, isOpen }: { command: CommandView; isOpen: boolean }) {
  return (
    <Card>
      <div className="flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0 grow basis-64">
          <h3 className="font-semibold">{commandTitle(command.name)}</h3>
          <p className="mt-0.5 text-sm">{command.description}</p>
          <p className="mt-2 flex flex-wrap items-center gap-2 text-xs text-muted">
            <Badge>{command.agent}</Badge>
            {command.mode === "interactive" && <Badge tone="info">a conversation</Badge>}
            {command.writes && <span className="break-all">saved as {command.writes}</span>}
          </p>
        </div>
        <Link
          to="/assistant"
          search={{ command: isOpen ? undefined : command.name }}
          resetScroll={false}
          className={buttonClass(isOpen ? "quiet" : "primary")}
        >
          {isOpen ? "Close" : "Use it"}
          <span className="sr-only">: {commandTitle(command.name)}</span>
        </Link>
      </div>
      {isOpen && <StartForm command={command} />}
    </Card>
  );
}
