import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";

import { contextQuery } from "@/api/changes";
import type { AgentType } from "@/api/schema";
import { Card } from "@/components/Card";
import { Select } from "@/components/Field";
import { Markdown } from "@/components/Markdown";
import { Empty, WhenReady } from "@/components/States";
import { count, plural } from "@/lib/words";

import { AGENT_TYPES } from "./agentTypes";
import type { PanelProps } from "./Panel";

/** What is remembered for this change, as an agent that takes it would be told. */
export function ContextPanel({ at, change, agent }: PanelProps & { agent: AgentType }) {
  const navigate = useNavigate();
  const context = useQuery(contextQuery(change.project_id, change.id, agent));

  function choose(next: string) {
    void navigate({
      to: "/board/changes/$id",
      params: { id: at.id },
      search: { tab: "context", project: at.project, agent: next as AgentType },
      replace: true,
    });
  }

  return (
    <Card title="Context for an agent">
      <Select
        label="Type of the agent"
        className="mb-4 max-w-72"
        value={agent}
        options={Object.entries(AGENT_TYPES)}
        onChange={({ target }) => choose(target.value)}
      />
      <WhenReady query={context} lines={5}>
        {({ text, tokens, items, left_out }) =>
          items === 0 ? (
            <Empty title="Nothing is remembered for it yet.">
              What agents learn on this change, in this project and everywhere comes here, the most useful
              first. They get the change’s texts in any case.
            </Empty>
          ) : (
            <>
              <p className="mb-3 text-sm text-muted">
                {plural(items, "item")}, {count(tokens)} tokens
                {left_out > 0 && `; ${plural(left_out, "more did", "more did")} not fit`}.
              </p>
              <Markdown text={text} />
            </>
          )
        }
      </WhenReady>
    </Card>
  );
}
