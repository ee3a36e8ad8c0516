import { expect, test } from "vitest";

import { summary } from "./IngestPanel";

test("a report says only what happened", () => {
  const rejected = [{ path: "torn.pdf", reason: "malformed", message: "torn.pdf: is damaged" }];
  expect(summary({ added: 1, unchanged: 3, rejected })).toBe(
    "1 document added, 3 unchanged and skipped, 1 could not be read.",
  );
  const skipped = [{ path: "genindex.html", reason: "navigation", message: "only leads on" }];
  expect(summary({ added: 1, skipped })).toBe("1 document added, 1 left out.");
  expect(summary({})).toBe("There was nothing to read.");
});
