import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import { healthQuery } from "@/api/house";
import { Badge } from "@/components/Badge";
import { Card } from "@/components/Card";
import { CopyLine } from "@/components/CopyLine";
import { WhenReady } from "@/components/States";

/** Which model answers, why, and the shortest way to another. */
export function ModelCard() {
  const health = useQuery(healthQuery);
  return (
    <Card
      title="Model"
      note={
        <Link to="/settings" hash="model" className="underline underline-offset-2">
          How to change it
        </Link>
      }
    >
      <WhenReady query={health} lines={2}>
        {({ model }) =>
          model ? (
            <div className="space-y-2 text-sm">
              <p>
                <Badge tone={model.offline ? "neutral" : "good"}>
                  {model.offline ? "offline" : model.provider}
                </Badge>{" "}
                <span className="text-muted">{model.reason}.</span>
              </p>
              {model.offline ? (
                <>
                  <p>
                    Everything works without a key: answers are worked out by rules and say so. With a model,
                    start the server with its key:
                  </p>
                  <CopyLine text="ANTHROPIC_API_KEY=sk-ant-… bottega serve" />
                </>
              ) : (
                <p className="break-words text-muted">
                  {model.fast} for quick tasks, {model.strong} for hard ones
                </p>
              )}
            </div>
          ) : (
            <p className="text-sm text-muted">The server does not say which model it uses.</p>
          )
        }
      </WhenReady>
    </Card>
  );
}
