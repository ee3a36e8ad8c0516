import createClient from "openapi-fetch";

import type { ErrorBody, paths } from "./schema";

/** What the server refused, in its own words. */
export class ServerError extends Error {
  readonly type: string;
  readonly status: number;
  /** What some errors add: `conflicts`, `fields`, `valid_options`… */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(message: string, type: string, status: number, details: Record<string, unknown> = {}) {
    super(message);
    this.name = "ServerError";
    this.type = type;
    this.status = status;
    this.details = details;
  }
}

// `fetch` is looked up at each call: a test may have put its own there.
const rest = createClient<paths>({ baseUrl: location.origin, fetch: (request) => globalThis.fetch(request) });

/** Every route of the server, typed: `await answer(rest.GET("/api/runs", { params: { query } }))`. */
export { rest };

type Reply<T> = { data?: T; error?: unknown; response: Response };

/** The answer itself; a refusal, or no answer at all, is thrown. */
export async function answer<T>(reply: Promise<Reply<T>>): Promise<T> {
  const { data, error, response } = await reached(reply);
  if (error !== undefined || !response.ok) throw refusal(error, response);
  return data as T;
}

async function reached<T>(reply: Promise<T>): Promise<T> {
  try {
    return await reply;
  } catch (error) {
    if (error instanceof DOMException) throw error; // given up by the page itself
    throw new ServerError("The server does not answer. Is it running?", "unreachable", 0);
  }
}

function refusal(body: unknown, response: Response): ServerError {
  const told = (body as ErrorBody | undefined)?.error;
  if (response.status === 401) location.reload(); // the server answers with its sign-in page
  return new ServerError(
    told?.message ?? `The server answered ${response.status}.`,
    told?.type ?? "internal",
    response.status,
    told,
  );
}
