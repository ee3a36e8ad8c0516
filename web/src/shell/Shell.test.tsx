import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";

import { renderAt, serve } from "@/test/serving";

test("the keyboard goes to a room, but not while somebody writes", async () => {
  serve({ "GET /health": { status: "ok", uptime: 1 } });
  const { router } = renderAt("/shortcuts");
  await screen.findByRole("heading", { name: "Keyboard shortcuts" });
  const field = document.body.appendChild(document.createElement("input"));

  await userEvent.type(field, "gt");
  expect(router.state.location.pathname).toBe("/shortcuts");
  field.blur();
  await userEvent.keyboard("gt");
  expect(router.state.location.pathname).toBe("/traces");
  field.remove();
});

test("every room has a link", async () => {
  serve({ "GET /health": { status: "ok", uptime: 1 } });
  renderAt("/shortcuts");
  for (const name of ["Home", "Coach", "Board", "Research", "Assistant", "Journal"]) {
    expect((await screen.findAllByRole("link", { name })).length).toBeGreaterThan(0);
  }
});
