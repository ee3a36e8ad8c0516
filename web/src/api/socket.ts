import { useEffect, useEffectEvent, useSyncExternalStore } from "react";

import type { ClientPayloads, ServerMessage, ServerPayloads } from "./coach";

export type SocketState = "connecting" | "live" | "lost";

type Envelope = { type: string; payload: unknown; id: string };
type Listener = (message: ServerMessage) => void;

const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 10_000;
/** A keystroke's buffer replaces the one before it; everything else waits for its turn. */
const LATEST_ONLY = new Set(["buffer:update", "editor:selection", "editor:scroll"]);

/**
 * The coach's WebSocket, kept open: what is said while it is away is said when it is back, in
 * order, so that a lost connection loses no edit.
 */
export class CoachSocket {
  state: SocketState = "connecting";
  #socket?: WebSocket;
  #outbox: Envelope[] = [];
  #listeners = new Set<Listener>();
  #watchers = new Set<() => void>();
  #pause = FIRST_PAUSE;
  #lastId = 0;

  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    this.#connect();
    return () => this.#listeners.delete(listener);
  }

  watch = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    this.#connect();
    return () => this.#watchers.delete(watcher);
  };

  /** Say something; the returned id is on the server's answer. */
  say<Type extends keyof ClientPayloads>(type: Type, payload: ClientPayloads[Type]): string {
    const id = `w${++this.#lastId}`;
    const envelope = { type, payload, id };
    if (this.state === "live") this.#send(envelope);
    else this.#keep(envelope);
    return id;
  }

  #keep(envelope: Envelope) {
    if (LATEST_ONLY.has(envelope.type)) {
      const path = (envelope.payload as { path?: string }).path;
      this.#outbox = this.#outbox.filter(
        (earlier) => earlier.type !== envelope.type || (earlier.payload as { path?: string }).path !== path,
      );
    }
    this.#outbox.push(envelope);
  }

  #send(envelope: Envelope) {
    this.#socket?.send(JSON.stringify({ ...envelope, timestamp: Date.now() }));
  }

  #connect() {
    if (this.#socket) return;
    const socket = new WebSocket(`${location.origin.replace(/^http/, "ws")}/ws`);
    this.#socket = socket;
    socket.onopen = () => {
      this.#pause = FIRST_PAUSE;
      const windowSize = { width: innerWidth, height: innerHeight };
      this.#send({
        type: "connection:hello",
        payload: { version: "web", platform: navigator.platform, windowSize },
        id: "hello",
      });
      for (const envelope of this.#outbox.splice(0)) this.#send(envelope);
      this.#become("live");
    };
    socket.onmessage = (message) => {
      const said = JSON.parse(message.data) as ServerMessage;
      for (const listener of this.#listeners) listener(said);
    };
    socket.onclose = () => {
      this.#socket = undefined;
      this.#become("lost");
      setTimeout(() => this.#connect(), this.#pause);
      this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE);
    };
  }

  #become(state: SocketState) {
    this.state = state;
    for (const watcher of this.#watchers) watcher();
  }
}

export const socket = new CoachSocket();

export function useSocketState(): SocketState {
  return useSyncExternalStore(socket.watch, () => socket.state);
}

/** Hear one kind of message while the component is shown. */
export function useMessage<Type extends keyof ServerPayloads>(
  type: Type,
  heard: (payload: ServerPayloads[Type], id: string | undefined) => void,
): void {
  const onMessage = useEffectEvent((message: ServerMessage) => {
    if (message.type === type) heard(message.payload as ServerPayloads[Type], message.id);
  });
  useEffect(() => socket.listen((message) => onMessage(message)), []);
}
