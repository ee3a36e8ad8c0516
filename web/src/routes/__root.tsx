import type { QueryClient } from "@tanstack/react-query";
import { createRootRouteWithContext, Link } from "@tanstack/react-router";

import { Page } from "@/components/Page";
import { Empty, Problem } from "@/components/States";
import { Shell } from "@/shell/Shell";

export const Route = createRootRouteWithContext<{ queries: QueryClient }>()({
  component: Shell,
  notFoundComponent: () => (
    <Page title="No such page">
      <Empty title="There is nothing at this address.">
        <Link to="/" className="text-accent underline">
          Back to Home
        </Link>
      </Empty>
    </Page>
  ),
  errorComponent: ({ error, reset }) => (
    <Page title="Something went wrong">
      <Problem error={error as Error} onRetry={reset} />
    </Page>
  ),
});
