import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Blocks } from "lucide-react";
import { useMemo } from "react";

import { pluginsQuery } from "@/api/assistant";
import { CopyLine } from "@/components/CopyLine";
import { Page } from "@/components/Page";
import { Empty, WhenReady } from "@/components/States";
import { useCommands } from "@/shell/commands";

import { OfflineNotice } from "../OfflineNotice";
import { RoomTabs } from "../RoomTabs";
import { SessionList } from "../sessions/SessionList";
import { commandTitle } from "../words";
import { PluginSection } from "./PluginSection";

/** What can be asked for, and what was. `chosen` is the command whose form is open. */
export function AssistantPage({ chosen }: { chosen?: string }) {
  const plugins = useQuery(pluginsQuery);
  const navigate = useNavigate();
  const commands = useMemo(
    () =>
      (plugins.data?.plugins ?? []).flatMap((plugin) =>
        plugin.commands.map(({ name }) => ({
          name: commandTitle(name),
          about: plugin.name,
          run: () => void navigate({ to: "/assistant", search: { command: name } }),
        })),
      ),
    [plugins.data, navigate],
  );
  useCommands("Assistant", commands);

  return (
    <Page
      title="Assistant"
      lead="Agents written in markdown. They stop where you should decide, and remember what you allow."
    >
      <RoomTabs />
      <div className="grid gap-8 lg:grid-cols-[3fr_2fr]">
        <div className="min-w-0 space-y-6">
          <OfflineNotice />
          <WhenReady query={plugins} lines={6}>
            {({ plugins: found }) =>
              found.length > 0 ? (
                found.map((plugin) => <PluginSection key={plugin.name} plugin={plugin} chosen={chosen} />)
              ) : (
                <Empty title="There is no plugin yet." icon={<Blocks />}>
                  <p className="mb-2">Make a folder with agents and commands in it, in your project:</p>
                  <CopyLine text="mkdir -p .bottega/plugins/my-plugin/{agents,commands}" />
                </Empty>
              )
            }
          </WhenReady>
        </div>
        <SessionList />
      </div>
    </Page>
  );
}
