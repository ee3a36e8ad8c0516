import { cleanup, configure } from "@testing-library/react";
import { afterEach, vi } from "vitest";

import { live } from "@/api/live";

// A busy machine is slow, not wrong.
configure({ asyncUtilTimeout: 10_000 });

afterEach(() => {
  cleanup();
  live.reset();
  vi.unstubAllGlobals();
  localStorage.clear();
  sessionStorage.clear();
});
