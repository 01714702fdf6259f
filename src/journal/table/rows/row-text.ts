// Reads the fields of a row from its text, which may be part of a larger one: first numbers, then JSON.

const COMMA = 0x2c;
const QUOTE = 0x22;
const OBJECT = 0x7b;
/** Every integer with so many digits is exact as a number. */
const EXACT_DIGITS = 15;

export class RowText {
  readonly #text: string;
  #position: number;
  #end: number;

  constructor(text: string, start = 0, end = text.length) {
    this.#text = text;
    this.#position = start;
    this.#end = end;
  }

  /** Continues with another row of the same text. */
  moveTo(start: number, end: number): void {
    this.#position = start;
    this.#end = end;
  }

  get isAtEnd(): boolean {
    return this.#position === this.#end;
  }

  /** Reads the next number and the comma after it; undefined if there is no number, NaN if it is damaged. */
  number(): number | undefined {
    const text = this.#text;
    const start = this.#position;
    let position = start;
    let value = 0;
    for (; position < this.#end; position++) {
      const digit = text.charCodeAt(position) - 48;
      if (!(digit >= 0 && digit <= 9)) break;
      value = value * 10 + digit;
    }
    if (position - start > EXACT_DIGITS || !this.#endsNumber(position)) return this.#unusualNumber();
    this.#passNumber(position);
    return position === start ? undefined : value;
  }

  /** Reads the rest as a JSON text; undefined if it is not one. */
  quotedText(): string | undefined {
    const rest = this.rest();
    if (rest.charCodeAt(0) !== QUOTE) return undefined;
    try {
      return JSON.parse(rest);
    } catch {
      return undefined;
    }
  }

  /** Returns the rest. */
  rest(): string {
    return this.#text.slice(this.#position, this.#end);
  }

  /** Reads a long, negative or broken number. */
  #unusualNumber(): number {
    let position = this.#position;
    while (!this.#endsNumber(position)) position += 1;
    const value = Number(this.#text.slice(this.#position, position));
    this.#passNumber(position);
    return value;
  }

  #endsNumber(position: number): boolean {
    if (position >= this.#end) return true;
    const code = this.#text.charCodeAt(position);
    return code === COMMA || code === QUOTE || code === OBJECT;
  }

  #passNumber(end: number): void {
    const hasComma = end < this.#end && this.#text.charCodeAt(end) === COMMA;
    this.#position = hasComma ? end + 1 : end;
  }
}
