import { QueryClient } from "@tanstack/react-query";
import { createRouter } from "@tanstack/react-router";

import { ServerError } from "./api/client";
import { Loading } from "./components/States";
import { routeTree } from "./routeTree.gen";

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // A refusal stays one; only silence is worth a second try.
      retry: (failures, error) => failures < 1 && !(error instanceof ServerError && error.status > 0),
    },
  },
});

export const router = createRouter({
  routeTree,
  context: { queries },
  defaultPreload: "intent",
  defaultPreloadStaleTime: 0,
  scrollRestoration: true,
  defaultPendingComponent: () => (
    <div className="mx-auto max-w-6xl p-6">
      <Loading />
    </div>
  ),
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
