// What is wrong with one value a user gave. A reader's message starts with "must", so that a name can be put before it.

export class ValueError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'ValueError';
  }
}

/** Runs a reader and puts the name of what it reads before its complaint. */
export function named<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof ValueError) throw new ValueError(`${name} ${error.message}`, error);
    throw error;
  }
}

/** A value as JSON, or as JavaScript writes what JSON cannot say, cut to what fits into a message. */
export function shown(value: unknown): string {
  const json = typeof value === 'number' ? String(value) : inJson(value);
  return json.length > 60 ? `${json.slice(0, 57)}...` : json;
}

function inJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    // A bigint, or an object that holds itself.
    return String(value);
  }
}
