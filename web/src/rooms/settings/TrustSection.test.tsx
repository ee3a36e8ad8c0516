import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";

import { Refusal, renderAlone, serve } from "@/test/serving";

import { TrustSection } from "./TrustSection";

const SOURCE = {
  kind: "sources",
  name: "weather",
  folder: "/p/.bottega/sources/weather",
  state: "changed",
  replaces: null,
  fingerprint: "b",
  files: ["config.json"],
  problem: null,
};

test("what is trusted is what was shown, and what changed meanwhile is not", async () => {
  let isSame = false;
  const asked = serve({
    "GET /api/trust": { things: [SOURCE], waiting: 1 },
    "GET /api/trust/sources%2Fweather/diff": {
      diff: '+++ b/config.json\n+"command": "/bin/sh"\n',
      fingerprint: "b",
    },
    "POST /api/trust/sources%2Fweather": () =>
      isSame ? { ...SOURCE, state: "trusted" } : new Refusal(409, "It has changed since you looked at it."),
  });
  renderAlone(<TrustSection />);
  await userEvent.click(await screen.findByRole("button", { name: "Look at sources/weather" }));
  expect((await screen.findByLabelText("Difference")).textContent).toContain('+"command": "/bin/sh"');
  await userEvent.click(screen.getByRole("button", { name: "Trust it as shown" }));
  expect((await screen.findByRole("alert")).textContent).toContain("has changed since you looked");

  isSame = true;
  await userEvent.click(screen.getByRole("button", { name: "Trust it as shown" }));
  expect(asked.get("POST /api/trust/sources%2Fweather")?.map(({ body }) => body)).toEqual([
    { fingerprint: "b" },
    { fingerprint: "b" },
  ]);
});
