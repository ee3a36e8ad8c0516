import { expect, test, vi } from "vitest";

import { CoachSocket } from "./socket";

class Wire {
  static opened: Wire[] = [];
  sent: { type: string; payload: Record<string, unknown> }[] = [];
  onopen?: () => void;
  onclose?: () => void;
  onmessage?: (message: { data: string }) => void;

  constructor() {
    Wire.opened.push(this);
  }

  send(text: string) {
    this.sent.push(JSON.parse(text));
  }
}

test("what is said while the connection is away is said when it is back", async () => {
  vi.useFakeTimers();
  vi.stubGlobal("WebSocket", Wire);
  const socket = new CoachSocket();
  socket.listen(() => undefined);
  const [first] = Wire.opened;
  first!.onopen!();
  first!.onclose!();
  expect(socket.state).toBe("lost");

  socket.say("file:save", { path: "a.py", content: "1" });
  socket.say("buffer:update", { path: "a.py", content: "12", cursorPosition: null } as never);
  socket.say("buffer:update", { path: "a.py", content: "123", cursorPosition: null } as never);
  await vi.advanceTimersByTimeAsync(600);
  const second = Wire.opened[1]!;
  second.onopen!();

  expect(socket.state).toBe("live");
  expect(second.sent.map(({ type }) => type)).toEqual(["connection:hello", "file:save", "buffer:update"]);
  expect(second.sent[2]!.payload.content).toBe("123");
  vi.useRealTimers();
});
