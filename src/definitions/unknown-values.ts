// Values of a template that only a deployment can know, such as the id of a resource group: each stands for itself in texts until a name
// or a property needs it.

/** Characters for private use, which no name or property holds. */
const START = '\uE000';
const END = '\uE001';
const MARK = /\uE000(\d+)\uE001/;

export class UnknownValues {
  readonly #reasons: string[] = [];

  /** A text that stands for a value that is not known. Equal reasons have the same text. */
  add(reason: string): string {
    let index = this.#reasons.indexOf(reason);
    if (index < 0) index = this.#reasons.push(reason) - 1;
    return `${START}${index}${END}`;
  }

  /** Why a value is not known, or not wholly; undefined: it is known. */
  reasonIn(value: unknown): string | undefined {
    if (typeof value === 'string') {
      const [, index] = MARK.exec(value) ?? [];
      return index === undefined ? undefined : this.#reasons[Number(index)];
    }
    if (typeof value !== 'object' || value === null) return undefined;
    for (const part of Object.values(value)) {
      const reason = this.reasonIn(part);
      if (reason !== undefined) return reason;
    }
    return undefined;
  }
}
