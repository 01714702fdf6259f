// Objects of a parsed JSON text.

export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value of a key, whose case does not count. */
export function valueIn(object: unknown, key: string): unknown {
  if (!isJsonObject(object)) return undefined;
  if (Object.hasOwn(object, key)) return object[key];
  const found = Object.keys(object).find((one) => one.toLowerCase() === key.toLowerCase());
  return found === undefined ? undefined : object[found];
}
