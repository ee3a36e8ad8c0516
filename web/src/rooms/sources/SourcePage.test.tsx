import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";

import type { SourceDetail } from "@/api/schema";
import { Refusal, renderAt, serve } from "@/test/serving";

import { state } from "./health";

const SOURCE: SourceDetail = {
  slug: "tides",
  name: "Tides",
  origin: "project",
  type: "stdio",
  trusted: true,
  enabled: false,
  credentials: ["key"],
  stored: [],
  file: "/project/.bottega/sources/tides/config.json",
};

test("nothing is enabled before what would run was shown", async () => {
  const asked = serve({
    "GET /health": { status: "ok", uptime: 1 },
    "GET /api/research/sources/tides": { ...SOURCE, trusted: false, program: ["tides", "--all"] },
    "POST /api/research/sources/tides/enable": { ...SOURCE, enabled: true },
  });
  renderAt("/sources/tides");
  await userEvent.click(await screen.findByRole("button", { name: "Enable it" }));
  const dialog = await screen.findByRole("dialog");
  expect(dialog.textContent).toContain("--all");
  expect(asked.has("POST /api/research/sources/tides/enable")).toBe(false);
  await userEvent.click(screen.getByRole("button", { name: "I trust it, enable it" }));
  expect(asked.get("POST /api/research/sources/tides/enable")).toHaveLength(1);
});

test("a credential that was refused stays in its field, one that was taken does not", async () => {
  let isTaken = false;
  serve({
    "GET /health": { status: "ok", uptime: 1 },
    "GET /api/research/sources/tides": SOURCE,
    "PUT /api/research/sources/tides/credentials/key": () =>
      isTaken ? SOURCE : new Refusal(503, "The keeper of secrets is away."),
  });
  renderAt("/sources/tides");
  const field = (await screen.findByPlaceholderText("Enter it here")) as HTMLInputElement;
  await userEvent.type(field, "s3cret");
  await userEvent.click(screen.getByRole("button", { name: "Keep it" }));
  expect(await screen.findByText("The keeper of secrets is away.")).toBeTruthy();
  expect(field.value).toBe("s3cret");
  isTaken = true;
  await userEvent.click(screen.getByRole("button", { name: "Keep it" }));
  await screen.findByText("key is kept.");
  expect(field.value).toBe("");
});

test.each([
  [{ problems: ["1:1: no"] }, "broken file"],
  [{ trusted: false }, "not trusted yet"],
  [{ health: "needs_auth", signed_in: false }, "needs a sign-in"],
  [{ health: "needs_auth" }, "needs a credential"],
  [{ enabled: true, health: "ok" }, "works"],
  [{ enabled: true }, "on, not tried yet"],
  [{ health: "ok" }, "off"],
] as [Partial<SourceDetail>, string][])("%j is told as %s", (rest, word) => {
  expect(state({ ...SOURCE, ...rest }).word).toBe(word);
});
