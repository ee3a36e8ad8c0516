import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useRouterState } from "@tanstack/react-router";
import { Menu, Search } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { lazy, Suspense, useEffect, useRef, useState } from "react";

import { healthQuery } from "@/api/house";
import { useConnection } from "@/api/live";
import { Button } from "@/components/Button";
import { Toasts } from "@/components/Toasts";

import { MORE, type Place, ROOMS } from "./places";
import { useGoKeys } from "./shortcuts";
import { loadWithRetries } from "@/lib/retry";

const Palette = lazy(() => loadWithRetries(() => import("./Palette")));

/** What is around every page: the rooms, the rest, the state of the house. */
export function Shell() {
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  useGoKeys(() => setPaletteOpen(true));

  return (
    <div className="flex h-full flex-col">
      <a
        href="#page"
        className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:m-2 focus:rounded focus:bg-surface focus:px-3 focus:py-2"
      >
        Skip to the page
      </a>
      <header className="flex h-13 shrink-0 items-center gap-2 border-b bg-surface px-3 sm:gap-4">
        <Link to="/" className="flex items-center gap-2 font-semibold" aria-label="Bottega, home">
          <img src="/favicon.svg" alt="" className="size-7" />
          <span className="hidden lg:inline">Bottega</span>
        </Link>
        <Rooms className="hidden items-center gap-0.5 md:flex" />
        <div className="ml-auto flex items-center gap-1 sm:gap-2">
          <Connection />
          <ModelMode />
          <Button
            kind="quiet"
            onClick={() => setPaletteOpen(true)}
            aria-label="Find a page or an action, Ctrl K"
            title="Find a page or an action (Ctrl K)"
          >
            <Search aria-hidden className="size-4" />
            <kbd aria-hidden className="hidden text-xs text-muted xl:inline">
              Ctrl K
            </kbd>
          </Button>
          <More />
        </div>
      </header>
      <Content />
      <Rooms className="grid shrink-0 grid-cols-6 border-t bg-surface md:hidden" isStacked />
      <Toasts />
      {isPaletteOpen && (
        <Suspense>
          <Palette onClose={() => setPaletteOpen(false)} />
        </Suspense>
      )}
    </div>
  );
}

/** The page itself. Its heading is read out, and the focus begins here, whenever the address changes. */
function Content() {
  const path = useRouterState({ select: (state) => state.location.pathname });
  const main = useRef<HTMLElement>(null);
  const shown = useRef(path);

  useEffect(() => {
    if (shown.current !== path) main.current?.focus({ preventScroll: true });
    shown.current = path;
  }, [path]);

  return (
    <main
      id="page"
      ref={main}
      tabIndex={0}
      className="relative min-h-0 grow overflow-y-auto -outline-offset-2"
    >
      <Outlet />
    </main>
  );
}

function Rooms({ className, isStacked = false }: { className: string; isStacked?: boolean }) {
  const shape = isStacked
    ? "flex-col gap-0.5 py-1.5 text-[11px]"
    : "gap-1.5 rounded-md px-2.5 py-1.5 text-sm";
  return (
    <nav aria-label="Rooms" className={className}>
      {ROOMS.map(({ name, to, icon: Icon }) => (
        <Link
          key={to}
          to={to}
          activeOptions={{ exact: to === "/" }}
          className={`flex items-center justify-center text-muted hover:text-ink aria-[current=page]:font-medium aria-[current=page]:text-accent ${isStacked ? "" : "hover:bg-sunken aria-[current=page]:bg-accent-soft"} ${shape}`}
        >
          <Icon aria-hidden className="size-4" />
          {name}
        </Link>
      ))}
    </nav>
  );
}

function More() {
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger asChild>
        <Button kind="quiet" aria-label="More pages">
          <Menu aria-hidden className="size-4" />
          <span className="hidden xl:inline">More</span>
        </Button>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="end"
          sideOffset={6}
          className="z-40 w-64 rounded-lg border bg-surface p-1 shadow-xl"
        >
          {MORE.map((place) => (
            <DropdownMenu.Item key={place.to} asChild>
              <MoreLink {...place} />
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

function MoreLink({ name, to, icon: Icon, about, letter: _, ...rest }: Place) {
  return (
    <Link
      to={to}
      {...rest}
      className="flex items-center gap-3 rounded-md px-3 py-1.5 text-sm outline-none data-highlighted:bg-sunken"
    >
      <Icon aria-hidden className="size-4 shrink-0 text-muted" />
      <span className="shrink-0">{name}</span>
      <span className="truncate text-xs text-muted">{about}</span>
    </Link>
  );
}

function Connection() {
  const state = useConnection();
  const [colour, text] = {
    live: ["bg-good", "Live"],
    connecting: ["bg-warn", "Connecting"],
    lost: ["bg-bad", "Connection lost, trying again"],
    ended: ["bg-bad", "Not connected"],
  }[state] as [string, string];
  return (
    <p role="status" className="flex items-center gap-1.5 px-1 text-xs text-muted" title={text}>
      <span aria-hidden className={`size-2 rounded-full ${colour}`} />
      <span className={state === "live" ? "sr-only xl:not-sr-only" : ""}>{text}</span>
    </p>
  );
}

function ModelMode() {
  const model = useQuery(healthQuery).data?.model;
  if (!model) return null;
  return (
    <Link
      to="/settings"
      title={`${model.reason} Click for how to change it.`}
      className="hidden rounded-full bg-sunken px-2.5 py-1 text-xs text-muted hover:text-ink sm:inline"
    >
      {model.offline ? "offline model" : model.provider}
    </Link>
  );
}
