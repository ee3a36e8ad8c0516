import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";

import { Refusal, renderAlone, serve } from "@/test/serving";

import { NewTokenDialog } from "./NewTokenDialog";

test("a refusal keeps what was written, and the secret is shown once it is there", async () => {
  let isTaken = true;
  const asked = serve({
    "GET /api/tokens": [],
    "POST /api/tokens": () =>
      isTaken ? new Refusal(409, "A token named 'ci' exists already.") : { name: "ci", secret: "btg_secret" },
  });
  renderAlone(<NewTokenDialog isOpen onClose={() => undefined} />);
  const name = screen.getByLabelText("Name");
  await userEvent.type(name, "ci");
  await userEvent.click(screen.getByRole("button", { name: "Make it" }));
  expect((await screen.findByRole("alert")).textContent).toContain("exists already");
  expect((name as HTMLInputElement).value).toBe("ci");

  isTaken = false;
  await userEvent.click(screen.getByRole("button", { name: "Make it" }));
  expect(await screen.findByText("btg_secret")).toBeTruthy();
  expect(asked.get("POST /api/tokens")).toHaveLength(2);
});
