// JSON with comments whose every value can say at which line and column it stands.

import {
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';

export type Path = readonly (string | number)[];
/** A remark on one place in the file; the text reads on after that place's path. */
export type Remark = { readonly path: Path; readonly text: string };

export class LocatedJson {
  readonly #text: string;
  readonly #root: Node | undefined;
  /** `line:column  what is wrong`; when there are some, there is nothing else to be had. */
  readonly syntaxErrors: readonly string[];

  constructor(text: string) {
    const errors: ParseError[] = [];
    this.#text = text;
    this.#root = parseTree(text, errors, { allowTrailingComma: true });
    this.syntaxErrors = errors.map(({ error, offset }) => {
      const words = printParseErrorCode(error).replace(/(?<!^)[A-Z]/g, (letter) => ` ${letter}`);
      return `${this.#position(offset)}  not JSON: ${words.toLowerCase()}`;
    });
  }

  /** A fresh copy. */
  get value(): unknown {
    return this.#root === undefined ? undefined : getNodeValue(this.#root);
  }

  /** Keys that an object has more than once: JSON takes the last, and silently drops a whole list of queues. */
  repeatedKeys(): Remark[] {
    return this.#root === undefined ? [] : repeatedKeys(this.#root, []);
  }

  /** `line:column  path text` */
  locate({ path, text }: Remark): string {
    return `${this.#position(this.#offsetOf(path))}  ${pathText(path)} ${text}`;
  }

  /** Where the key of that path starts, or the list element; for what is missing, where its parent starts. */
  #offsetOf(path: Path): number {
    for (let length = path.length; this.#root !== undefined && length > 0; length--) {
      const node = findNodeAtLocation(this.#root, path.slice(0, length));
      if (node !== undefined) return node.parent?.type === 'property' ? node.parent.offset : node.offset;
    }
    return this.#root?.offset ?? 0;
  }

  #position(offset: number): string {
    const before = this.#text.slice(0, offset);
    return `${before.split('\n').length}:${offset - before.lastIndexOf('\n')}`;
  }
}

function repeatedKeys(node: Node, path: Path): Remark[] {
  const seen = new Set<unknown>();
  return (node.children ?? []).flatMap((child, index) => {
    if (node.type === 'array') return repeatedKeys(child, [...path, index]);
    const [key, value] = child.children ?? [];
    if (key === undefined || value === undefined) return [];
    const here = [...path, String(key.value)];
    const remarks = repeatedKeys(value, here);
    if (seen.has(key.value)) remarks.unshift({ path: here, text: 'is given more than once' });
    seen.add(key.value);
    return remarks;
  });
}

/** `UserConfig.Namespaces[0].Queues[1].Name` */
function pathText(path: Path): string {
  if (path.length === 0) return 'the file';
  const steps = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`));
  return steps.join('').replace(/^\./, '');
}
