/** Milliseconds between attempts: a server that is being restarted is back within them. */
const PAUSES = [500, 1000, 2000, 4000, 8000];

/** A part of the app that is fetched when it is needed, also while the server is away for a moment. */
export async function loadWithRetries<T>(load: () => Promise<T>): Promise<T> {
  for (const pause of PAUSES) {
    try {
      return await load();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
  try {
    return await load();
  } catch {
    throw new Error("A part of this page could not be fetched. If the server runs, reload the page.");
  }
}
