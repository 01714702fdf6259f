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

/** A value as JSON, cut to what fits into a message. */
export function shown(value: unknown): string {
  const json = JSON.stringify(value) ?? String(value);
  return json.length > 60 ? `${json.slice(0, 57)}...` : json;
}
