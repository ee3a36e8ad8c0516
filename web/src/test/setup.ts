import { cleanup } from "@testing-library/react";
import { afterEach, vi } from "vitest";

import { live } from "@/api/live";

afterEach(() => {
  cleanup();
  live.reset();
  vi.unstubAllGlobals();
  localStorage.clear();
  sessionStorage.clear();
});
