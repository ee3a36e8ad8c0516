type Part = string | false | null | undefined;

/** Class names, without those that do not apply. */
export function classes(...parts: Part[]): string {
  return parts.filter(Boolean).join(" ");
}
