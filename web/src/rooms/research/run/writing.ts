/** A field of a model's reply whose text people can read, whole or as far as it has come. */
const READABLE = /"(?:title|heading|text|query|scope|question)"\s*:\s*"((?:[^"\\]|\\.)*)/g;

/** What a model has written so far, as lines to read: its replies are JSON that is not finished yet. */
export function readableLines(text: string): string[] {
  if (!text.trimStart().startsWith("{")) return text.trim() ? [text.trim()] : [];
  return [...text.matchAll(READABLE)]
    .map(([, value]) => unescaped(value ?? ""))
    .filter((line) => line !== "");
}

function unescaped(value: string): string {
  const whole = value.replace(/\\(?:u[0-9a-fA-F]{0,3})?$/, "");
  try {
    return JSON.parse(`"${whole}"`) as string;
  } catch {
    return whole;
  }
}
