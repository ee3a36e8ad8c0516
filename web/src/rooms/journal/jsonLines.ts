import type { ImportInput } from "@/api/schema";

export function asJsonLines(lines: readonly unknown[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** Each line's value; a line that is none is named by its number. The server checks the rest. */
export function readJsonLines(text: string): ImportInput["lines"] {
  return text.split("\n").flatMap((line, index) => {
    if (line.trim() === "") return [];
    try {
      return [JSON.parse(line) as ImportInput["lines"][number]];
    } catch {
      throw new Error(`Line ${index + 1} of the file is no JSON. Nothing was imported.`);
    }
  });
}
