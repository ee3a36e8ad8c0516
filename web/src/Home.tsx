import { useQuery } from "@tanstack/react-query";

import { useEvents } from "./api/events";
import { type Health, healthQuery } from "./api/health";
import { Card } from "./components/Card";
import { CopyLine } from "./components/CopyLine";

export function Home() {
  const health = useQuery(healthQuery);

  return (
    <main className="mx-auto max-w-4xl px-4 py-10">
      <header className="mb-8 flex items-center gap-3">
        <img src="/favicon.svg" alt="" className="size-9" />
        <div>
          <h1 className="text-xl font-semibold">Bottega</h1>
          <p className="text-sm text-stone-500 dark:text-stone-400">
            A workshop for coding agents and the people who work with them
          </p>
        </div>
        <Status health={health.data} failed={health.isError} />
      </header>
      <div className="grid gap-4 sm:grid-cols-2">
        <ModelCard health={health.data} />
        <HouseCard health={health.data} />
        <div className="sm:col-span-2">
          <ConnectCard />
        </div>
        <div className="sm:col-span-2">
          <EventsCard />
        </div>
      </div>
    </main>
  );
}

function Status({ health, failed }: { health?: Health; failed: boolean }) {
  const [colour, text] = failed
    ? ["bg-red-500", "no answer: is the server running?"]
    : health
      ? ["bg-emerald-500", `running, version ${health.version ?? "unknown"}`]
      : ["bg-stone-400", "connecting"];
  return (
    <p role="status" className="ml-auto flex items-center gap-2 text-xs">
      <span className={`size-2 rounded-full ${colour}`} />
      {text}
    </p>
  );
}

function ModelCard({ health }: { health?: Health }) {
  const model = health?.model;
  return (
    <Card title="Model" note={model?.offline ? "offline" : model?.provider}>
      <p className="text-sm">{model?.reason ?? "…"}</p>
      {model?.offline && (
        <p className="mt-2 text-xs text-stone-500 dark:text-stone-400">
          Set <code>ANTHROPIC_API_KEY</code> or <code>OPENAI_API_KEY</code>, or{" "}
          <code>OPENAI_BASE_URL</code> with <code>BOTTEGA_MODEL=openai:NAME</code> for a model of
          your own, and start again.
        </p>
      )}
    </Card>
  );
}

function HouseCard({ health }: { health?: Health }) {
  const rows = [
    ["Rooms", health?.rooms?.join(", ")],
    ["Database", health?.database?.kind],
    ["Vectors", health?.vectors && `${health.vectors.kind}${health.vectors.available ? "" : " (away)"}`],
  ];
  return (
    <Card title="House">
      <dl className="grid grid-cols-[6rem_1fr] gap-y-1 text-sm">
        {rows.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-stone-500 dark:text-stone-400">{name}</dt>
            <dd>{value || "…"}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}

function ConnectCard() {
  return (
    <Card title="Connect an agent" note={<a className="underline" href="/docs">REST reference</a>}>
      <CopyLine text={`claude mcp add --transport http bottega ${location.origin}/mcp`} />
    </Card>
  );
}

function EventsCard() {
  const { events, isLive } = useEvents();
  return (
    <Card title="What happens" note={isLive ? "live" : "waiting for the server"}>
      {events.length === 0 ? (
        <p className="text-sm text-stone-500 dark:text-stone-400">
          Nothing yet. Connect an agent, or run <code>bottega memory add "…"</code>.
        </p>
      ) : (
        <ol className="space-y-1 text-sm">
          {events.map((event) => (
            <li key={event.id} className="flex gap-3">
              <time className="shrink-0 text-stone-500 tabular-nums dark:text-stone-400">
                {new Date(event.created_at).toLocaleTimeString()}
              </time>
              <span className="shrink-0 font-medium">{event.topic}</span>
              <span className="truncate text-stone-500 dark:text-stone-400">
                {JSON.stringify(event.payload)}
              </span>
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}
