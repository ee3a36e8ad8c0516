import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { loadWithRetries } from "./retry";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

test("a part that the server was too busy to give is fetched again", async () => {
  const load = vi.fn().mockRejectedValueOnce(new Error("away")).mockResolvedValueOnce("the part");
  const part = loadWithRetries(load);
  await vi.runAllTimersAsync();
  expect(await part).toBe("the part");
});

test("a part that is gone says what to do", async () => {
  const part = loadWithRetries(() => Promise.reject(new Error("404")));
  const refused = expect(part).rejects.toThrow("reload the page");
  await vi.runAllTimersAsync();
  await refused;
});
