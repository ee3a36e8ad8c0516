import { expect, test, vi } from "vitest";

import { type Frame, openStream } from "./stream";

test("a stream that breaks is taken up behind its last event", async () => {
  const asked: (string | null)[] = [];
  const bodies = ["id: 7\nevent: started\ndata: {}\n\n", 'id: 8\nevent: completed\ndata: {"ok": true}\n\n'];
  vi.stubGlobal("fetch", async (_url: string, { headers }: { headers: Record<string, string> }) => {
    asked.push(headers["Last-Event-ID"] ?? null);
    return new Response(bodies.shift());
  });
  const frames: Frame[] = [];
  const states: string[] = [];
  await new Promise<void>((resolve) => {
    openStream("/api/x/events", {
      onFrame: (frame) => frames.push(frame),
      onState: (state) => {
        states.push(state);
        if (state === "ended") resolve();
      },
      isLast: ({ event }) => event === "completed",
    });
  });

  expect(asked).toEqual([null, "7"]);
  expect(frames.map(({ event }) => event)).toEqual(["started", "completed"]);
  expect(frames[1]!.data).toEqual({ ok: true });
  expect(states).toEqual(["connecting", "live", "lost", "live", "ended"]);
});
