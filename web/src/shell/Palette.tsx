import { useNavigate } from "@tanstack/react-router";
import { Command } from "cmdk";
import { Dialog as Radix } from "radix-ui";

import { chooseTheme } from "@/lib/theme";

import { useCommandGroups } from "./commands";
import { PLACES } from "./places";

const ITEM =
  "flex cursor-pointer items-center gap-3 rounded-md px-3 py-2 text-sm data-[selected=true]:bg-sunken";
const GROUP =
  "[&_[cmdk-group-heading]]:px-3 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-muted";

/** Every page and the page's own actions, by a few letters. */
export default function Palette({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const groups = useCommandGroups();

  function after(run: () => void) {
    return () => {
      onClose();
      run();
    };
  }

  return (
    <Radix.Root open onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-black/40" />
        <Radix.Content
          aria-describedby={undefined}
          className="fixed top-[12vh] left-1/2 z-50 w-[calc(100vw-2rem)] max-w-xl -translate-x-1/2 overflow-hidden rounded-lg border bg-surface shadow-xl"
        >
          <Radix.Title className="sr-only">Find a page or an action</Radix.Title>
          <Command label="Pages and actions" loop>
            <Command.Input
              placeholder="Where to, or what to do?"
              className="w-full border-b bg-transparent px-4 py-3 outline-none placeholder:text-muted"
            />
            <Command.List className="max-h-[50vh] overflow-y-auto p-2">
              <Command.Empty className="p-6 text-center text-sm text-muted">
                Nothing is called that.
              </Command.Empty>
              {groups.map(({ title, commands }) => (
                <Command.Group key={title} heading={title} className={GROUP}>
                  {commands.map(({ name, about, run }) => (
                    <Command.Item
                      key={name}
                      value={`${title} ${name} ${about ?? ""}`}
                      onSelect={after(run)}
                      className={ITEM}
                    >
                      <span className="grow">{name}</span>
                      {about && <span className="text-xs text-muted">{about}</span>}
                    </Command.Item>
                  ))}
                </Command.Group>
              ))}
              <Command.Group heading="Go to" className={GROUP}>
                {PLACES.map(({ name, to, icon: Icon, about, letter }) => (
                  <Command.Item
                    key={to}
                    value={`${name} ${about}`}
                    onSelect={after(() => void navigate({ to }))}
                    className={ITEM}
                  >
                    <Icon aria-hidden className="size-4 text-muted" />
                    <span>{name}</span>
                    <span className="grow truncate text-xs text-muted">{about}</span>
                    {letter && letter !== "?" && <kbd className="text-xs text-muted">g {letter}</kbd>}
                  </Command.Item>
                ))}
              </Command.Group>
              <Command.Group heading="Theme" className={GROUP}>
                {(["light", "dark", "system"] as const).map((theme) => (
                  <Command.Item
                    key={theme}
                    value={`Theme ${theme} theme`}
                    onSelect={after(() => chooseTheme(theme))}
                    className={ITEM}
                  >
                    {theme === "system" ? "As the system" : `${theme === "dark" ? "Dark" : "Light"} theme`}
                  </Command.Item>
                ))}
              </Command.Group>
            </Command.List>
          </Command>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
