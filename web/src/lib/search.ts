/** What an address may say, made safe: anything else in it is as if it were not there. */

export function word(value: unknown): string | undefined {
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  return String(value) || undefined;
}

export function oneOf<T extends string | number>(value: unknown, allowed: readonly T[]): T | undefined {
  return allowed.find((each) => each === value);
}
