import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";

import { Refusal, renderAt, serve } from "@/test/serving";

import { nameFrom } from "./CreateLibrary";

test.each([
  ["Rules of the harbour", "rules_of_the_harbour"],
  ["2024: Größe & Gewicht!", "groe_gewicht"],
  ["a".repeat(40), "a".repeat(31)],
])("a short name is made of %s", (title, name) => {
  expect(nameFrom(title)).toBe(name);
});

test("a refused name keeps the form as it was, with the server's words", async () => {
  serve({
    "GET /health": { status: "ok", uptime: 1 },
    "GET /api/libraries": { libraries: [] },
    "POST /api/libraries": new Refusal(409, "There is a library 'boats' already."),
  });
  renderAt("/libraries");
  await userEvent.click(await screen.findByRole("button", { name: "New library" }, { timeout: 5_000 }));
  await userEvent.type(screen.getByLabelText("What it is about"), "Boats");
  await userEvent.click(screen.getByRole("button", { name: "Create it" }));
  expect(await screen.findByText("There is a library 'boats' already.")).toBeTruthy();
  expect((screen.getByLabelText("What it is about") as HTMLInputElement).value).toBe("Boats");
});
