// A small reader of the Bicep that an export writes: its resources, with what a compiler would make of their names and dependencies.

export type BicepResource = {
  readonly label: string;
  readonly type: string;
  readonly apiVersion: string;
  /** The names from the namespace's child down. */
  readonly names: readonly string[];
  readonly dependsOn: readonly string[];
  readonly properties: unknown;
};

type Block = {
  readonly label: string;
  readonly type: string;
  readonly apiVersion: string;
  readonly body: Record<string, unknown>;
};

export function readBicep(text: string): {
  readonly parameters: readonly string[];
  readonly resources: readonly BicepResource[];
} {
  const reader = new Reader(text);
  const blocks: Block[] = [];
  const parameters: string[] = [];
  while (!reader.isAtEnd()) {
    const word = reader.word();
    if (word === 'param') {
      parameters.push(reader.line());
      continue;
    }
    if (word !== 'resource') {
      reader.line();
      continue;
    }
    const label = reader.word();
    const [type = '', apiVersion = ''] = String(reader.value()).split('@');
    reader.expect('=');
    blocks.push({ label, type, apiVersion, body: reader.value() as Record<string, unknown> });
  }
  const byLabel = new Map(blocks.map((block) => [block.label, block]));
  if (byLabel.size !== blocks.length) throw new Error('Two resources have the same name');
  const namesOf = ({ body }: Block): string[] => {
    const parent = byLabel.get(nameOf(body.parent));
    const own = typeof body.name === 'string' ? [body.name] : [];
    return [...(parent === undefined ? [] : namesOf(parent)), ...own];
  };
  const resources = blocks.map((block): BicepResource => {
    const { label, type, apiVersion, body } = block;
    const labels = [body.parent, ...((body.dependsOn as unknown[]) ?? [])]
      .filter((one) => one !== undefined)
      .map(nameOf);
    const unknown = labels.find((one) => !byLabel.has(one));
    if (unknown !== undefined) throw new Error(`There is no resource ${unknown}`);
    return { label, type, apiVersion, names: namesOf(block), dependsOn: labels, properties: body.properties };
  });
  return { parameters, resources };
}

/** A name that stands without quotes. */
class Identifier {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

function nameOf(value: unknown): string {
  return value instanceof Identifier ? value.name : '';
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  isAtEnd(): boolean {
    this.#skip();
    return this.#at >= this.#text.length;
  }

  word(): string {
    this.#skip();
    return this.#take(/[\w.@()]+/y);
  }

  line(): string {
    return this.#take(/[^\n]*/y).trim();
  }

  expect(character: string): void {
    this.#skip();
    if (this.#text[this.#at] !== character)
      throw new Error(`${character} is expected at ${this.#text.slice(this.#at, this.#at + 30)}`);
    this.#at += 1;
  }

  value(): unknown {
    this.#skip();
    const next = this.#text[this.#at];
    if (next === "'") return this.#quoted();
    if (next === '{') return this.#object();
    if (next === '[') return this.#list();
    const word = this.#take(/[\w().-]+/y);
    if (word === 'true' || word === 'false') return word === 'true';
    return /^-?\d+$/.test(word) ? Number(word) : new Identifier(word);
  }

  #object(): unknown {
    const object: Record<string, unknown> = {};
    this.expect('{');
    for (this.#skip(); this.#text[this.#at] !== '}'; this.#skip()) {
      const key = this.#text[this.#at] === "'" ? this.#quoted() : this.#take(/\w+/y);
      this.expect(':');
      object[key] = this.value();
    }
    this.expect('}');
    return object;
  }

  #list(): unknown[] {
    const items: unknown[] = [];
    this.expect('[');
    for (this.#skip(); this.#text[this.#at] !== ']'; this.#skip()) items.push(this.value());
    this.expect(']');
    return items;
  }

  /** The language has these escapes: `\\`, `\'`, `\n`, `\r`, `\t`, `\$` and `\u{...}`. A text ends on its line. */
  #quoted(): string {
    this.#at += 1;
    let text = '';
    for (;;) {
      const character = this.#text[this.#at];
      if (character === undefined || character === '\n') throw new Error('A text does not end');
      this.#at += 1;
      if (character === "'") return text;
      if (character === '$' && this.#text[this.#at] === '{') throw new Error('A text holds an expression');
      text += character === '\\' ? this.#escaped() : character;
    }
  }

  #escaped(): string {
    const character = this.#text[this.#at] ?? '';
    this.#at += 1;
    const plain: Record<string, string> = { n: '\n', r: '\r', t: '\t', '\\': '\\', "'": "'", $: '$' };
    if (character !== 'u') return plain[character] ?? fail(`There is no escape \\${character}`);
    const [, digits = ''] = /^\{([0-9a-f]+)\}/.exec(this.#text.slice(this.#at)) ?? [];
    this.#at += digits.length + 2;
    return String.fromCodePoint(Number.parseInt(digits, 16));
  }

  #skip(): void {
    this.#take(/(?:\s|\/\/[^\n]*)*/y);
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [found = ''] = pattern.exec(this.#text) ?? [];
    this.#at += found.length;
    return found;
  }
}

function fail(text: string): never {
  throw new Error(text);
}
