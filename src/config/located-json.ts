// Parses JSON with comments and finds the line and column of each value.

import {
  createScanner,
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import { type Path, pathText } from '../description/value-error.js';

/** A remark on one value. Its text is written behind the value's path. */
export type Remark = { readonly path: Path; readonly text: string };

const LONGEST_FOUND = 30;
/** No Config.json needs more than 13. */
const MOST_LEVELS = 100;

export class LocatedJson {
  readonly #text: string;
  readonly #name: string;
  readonly #root: Node | undefined;
  /** `line:column  what is wrong`; when defined, there is no value. */
  readonly syntaxError: string | undefined;

  constructor(text: string, name = 'the file') {
    this.#text = text;
    this.#name = name;
    const tooDeep = offsetBeyond(MOST_LEVELS, text);
    if (tooDeep !== undefined) {
      const limit = `a Config.json has at most ${MOST_LEVELS} levels`;
      this.syntaxError = `${this.#position(tooDeep)}  ${name} is nested too deeply: ${limit}`;
      return;
    }
    const errors: ParseError[] = [];
    this.#root = parseTree(text, errors, { allowTrailingComma: true });
    // Later errors are mostly consequences of the first.
    this.syntaxError = errors[0] && this.#describe(errors[0]);
  }

  #describe({ error, offset, length }: ParseError): string {
    const words = printParseErrorCode(error).replace(/(?<!^)[A-Z]/g, (letter) => ` ${letter}`);
    const found = this.#text.slice(offset, offset + length).trim();
    const seen = found === '' ? 'the text ends' : `found ${found.slice(0, LONGEST_FOUND)}`;
    return `${this.#position(offset)}  not JSON: ${words.toLowerCase()}, ${seen}`;
  }

  /** A fresh copy. */
  get value(): unknown {
    return this.#root === undefined ? undefined : getNodeValue(this.#root);
  }

  /** Keys that an object has more than once: JSON takes the last one, which would silently drop a whole list of queues. */
  repeatedKeys(): Remark[] {
    return this.#root === undefined ? [] : repeatedKeys(this.#root, []);
  }

  /** `line:column  path text` */
  locate({ path, text }: Remark): string {
    // `UserConfig.Namespaces[0].Queues[1].Name`
    const name = path.length === 0 ? this.#name : pathText(path).replace(/^\./, '');
    return `${this.positionOf(path)}  ${name} ${text}`;
  }

  /** `line:column` */
  positionOf(path: Path): string {
    return this.#position(this.#offsetOf(path));
  }

  /** Locates several remarks, in the order of their positions in the text. */
  locateAll(remarks: readonly Remark[]): string[] {
    const located = remarks.map((remark) => ({ remark, offset: this.#offsetOf(remark.path) }));
    return located.sort((a, b) => a.offset - b.offset).map(({ remark }) => this.locate(remark));
  }

  /** The start of the key or list element at a path; for a missing value, the start of its parent. */
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
    if (seen.has(key.value))
      remarks.unshift({ path: here, text: 'is given more than once: put all of it into one' });
    seen.add(key.value);
    return remarks;
  });
}

const OPENING: Readonly<Record<string, string>> = { '}': '{', ']': '[' };

/** The offset of the first list or object nested deeper than the limit; undefined if there is none. */
function offsetBeyond(limit: number, text: string): number | undefined {
  const scanner = createScanner(text, true);
  const open: string[] = [];
  for (scanner.scan(); scanner.getTokenOffset() < text.length; scanner.scan()) {
    const start = text.charAt(scanner.getTokenOffset());
    if (start === '{' || start === '[') open.push(start);
    // As in the parser, a bracket closes only its own kind.
    else if (open.length > 0 && open.at(-1) === OPENING[start]) open.pop();
    if (open.length > limit) return scanner.getTokenOffset();
  }
  return undefined;
}
