// What is wrong with a text that was to be XML, or with what it says.

/** The message begins with what is wrong, in lower case or with its name, and has no full stop. */
export class XmlError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'XmlError';
  }
}
