import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createMemoryHistory, createRouter, RouterProvider } from "@tanstack/react-router";
import { render } from "@testing-library/react";
import type { ReactNode } from "react";
import { vi } from "vitest";

import { routeTree } from "@/routeTree.gen";

export type Asked = { path: string; query: URLSearchParams; body: unknown };
type Answer = unknown | ((asked: Asked) => unknown);

/** An answer that is a refusal. */
export class Refusal {
  constructor(
    readonly status: number,
    readonly message: string,
    readonly type = "refused",
  ) {}
}

/**
 * Stand in for the server: `serve({ "GET /api/runs": { runs: [] } })`. Returns what was asked, by
 * the same keys. What nobody serves is refused with a 404 that names it; streams stay silent.
 */
export function serve(answers: Record<string, Answer>): Map<string, Asked[]> {
  const asked = new Map<string, Asked[]>();
  vi.stubGlobal("fetch", async (input: Request | string, init?: RequestInit) => {
    const request = input instanceof Request ? input : new Request(new URL(input, location.origin), init);
    const url = new URL(request.url);
    const key = `${request.method} ${url.pathname}`;
    if (url.pathname.endsWith("/events") && !(key in answers)) return new Promise<Response>(() => undefined);
    const text = request.method === "GET" ? "" : await request.text();
    const question = { path: url.pathname, query: url.searchParams, body: text ? parsed(text) : undefined };
    asked.set(key, [...(asked.get(key) ?? []), question]);
    const given = key in answers ? answers[key] : new Refusal(404, `nobody serves ${key}`);
    const answer = typeof given === "function" ? await given(question) : given;
    if (!(answer instanceof Refusal)) return Response.json(answer);
    const error = { type: answer.type, message: answer.message };
    return Response.json({ error }, { status: answer.status });
  });
  return asked;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function newQueries(): QueryClient {
  return new QueryClient({ defaultOptions: { queries: { retry: false } } });
}

/** The whole app at an address. */
export function renderAt(path: string) {
  const queries = newQueries();
  const history = createMemoryHistory({ initialEntries: [path] });
  const router = createRouter({ routeTree, history, context: { queries } });
  const rendered = render(
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
  return { ...rendered, router };
}

/** One component that asks the server but needs no address. */
export function renderAlone(element: ReactNode) {
  return render(<QueryClientProvider client={newQueries()}>{element}</QueryClientProvider>);
}
