import { expect, test } from "vitest";

import { withLowHeadings } from "./MarkdownSection";

test("headings go below those of the page, and code stays as it is", () => {
  const text = "# Tides\n\n## When\n\n```sh\n# no heading\n```\n#hashtag";
  expect(withLowHeadings(text)).toBe("### Tides\n\n#### When\n\n```sh\n# no heading\n```\n#hashtag");
  expect(withLowHeadings("No heading.")).toBe("No heading.");
  expect(withLowHeadings("#### Deep")).toBe("### Deep");
});
