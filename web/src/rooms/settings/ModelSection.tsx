import { useQuery } from "@tanstack/react-query";

import { healthQuery } from "@/api/house";
import { Badge } from "@/components/Badge";
import { CopyLine } from "@/components/CopyLine";
import { WhenReady } from "@/components/States";

import { Facts } from "./Facts";
import { Section } from "./Section";

const WAYS = [
  ["Anthropic's models", "ANTHROPIC_API_KEY=sk-ant-… bottega serve"],
  ["OpenAI's models", "OPENAI_API_KEY=sk-… bottega serve"],
  [
    "A model on this machine, here Ollama's",
    "OPENAI_BASE_URL=http://127.0.0.1:11434/v1 OPENAI_API_KEY=ollama BOTTEGA_MODEL=openai:llama3.1 bottega serve",
  ],
  ["No model, whatever keys there are", "BOTTEGA_MODEL=offline bottega serve"],
] as const;

export function ModelSection() {
  const health = useQuery(healthQuery);
  return (
    <Section id="model" title="Model">
      <WhenReady query={health}>
        {({ model }) =>
          model ? (
            <Facts
              facts={[
                [
                  "In use",
                  <Badge key="mode" tone={model.offline ? "neutral" : "good"}>
                    {model.offline ? "offline, no model" : model.provider}
                  </Badge>,
                ],
                ["Because", `${model.reason}.`],
                ["For quick tasks", model.fast],
                ["For hard tasks", model.strong],
              ]}
            />
          ) : (
            <p className="text-sm text-muted">The server does not say which model it uses.</p>
          )
        }
      </WhenReady>
      <h3 className="mt-5 mb-1 text-sm font-semibold">Use another one</h3>
      <p className="mb-3 text-sm text-muted">
        Start the server with one of these, or keep them with <code>bottega config set NAME VALUE</code> and
        start it again. Keys never leave the server and are shown nowhere.
      </p>
      <ul className="space-y-3">
        {WAYS.map(([name, line]) => (
          <li key={name}>
            <p className="mb-1 text-sm">{name}</p>
            <CopyLine text={line} />
          </li>
        ))}
      </ul>
      <p className="mt-4 text-sm text-muted">
        The offline model works by rules: hints come from a fixed ladder, answers are put together from what
        was found, and each says so. Nothing leaves this machine and nothing costs anything.
      </p>
    </Section>
  );
}
