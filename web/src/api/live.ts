import { type QueryKey, useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useRef, useSyncExternalStore } from "react";

import type { EventView } from "./schema";
import { openStream, type StreamState } from "./stream";

type Listener = (event: EventView) => void;

/** The house's event log, followed once for the whole window and handed to whoever listens. */
class Live {
  state: StreamState = "connecting";
  #listeners = new Set<Listener>();
  #watchers = new Set<() => void>();
  #close?: () => void;

  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    this.#open();
    return () => this.#listeners.delete(listener);
  }

  watch = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    this.#open();
    return () => this.#watchers.delete(watcher);
  };

  #open() {
    this.#close ??= openStream("/api/events", {
      onFrame: ({ data }) => {
        for (const listener of this.#listeners) listener(data as EventView);
      },
      onState: (state) => {
        this.state = state;
        for (const watcher of this.#watchers) watcher();
      },
    });
  }

  /** For tests: as if the window had just opened. */
  reset() {
    this.#close?.();
    this.#close = undefined;
    this.state = "connecting";
  }
}

export const live = new Live();

/** Whether what is shown is kept up to date right now. */
export function useConnection(): StreamState {
  return useSyncExternalStore(live.watch, () => live.state);
}

/** Hear of events whose topic fits one of the patterns, such as `work.*`. */
export function useLive(patterns: readonly string[], heard: Listener): void {
  const onEvent = useEffectEvent((event: EventView) => {
    if (patterns.some((pattern) => fits(event.topic, pattern))) heard(event);
  });
  useEffect(() => live.listen((event) => onEvent(event)), []);
}

/** Events come in bursts, some a moment before what they tell of is written: one question for all of them. */
const TOGETHER = 250;

/** Ask again for what these queries show whenever such an event happens, and after a lost connection. */
export function useRefresh(patterns: readonly string[], ...keys: QueryKey[]): void {
  const queries = useQueryClient();
  const refresh = () => keys.forEach((queryKey) => void queries.invalidateQueries({ queryKey }));
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  useLive(patterns, () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      refresh();
    }, TOGETHER);
  });

  const state = useConnection();
  const onBack = useEffectEvent(refresh);
  useEffect(() => {
    if (state === "lost") return onBack;
  }, [state]);
}

function fits(topic: string, pattern: string): boolean {
  return (
    pattern === "*" || (pattern.endsWith("*") ? topic.startsWith(pattern.slice(0, -1)) : topic === pattern)
  );
}
