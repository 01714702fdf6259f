// JSON with comments whose every value can say at which line and column it stands.

import {
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import { type Path, pathText } from '../description/value-error.js';
import { offsetBeyond } from './nesting.js';

/** A remark on one place in the file; the text reads on after that place's path. */
export type Remark = { readonly path: Path; readonly text: string };

const LONGEST_FOUND = 30;
/** No Config.json has a need for more than 13. */
const MOST_LEVELS = 100;

export class LocatedJson {
  readonly #text: string;
  /** What the text as a whole is called. */
  readonly #name: string;
  readonly #root: Node | undefined;
  /** `line:column  what is wrong`; when there is one, there is nothing else to be had. */
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
    // Those that follow are mostly consequences of the first.
    this.syntaxError = errors[0] && this.#tell(errors[0]);
  }

  #tell({ error, offset, length }: ParseError): string {
    const words = printParseErrorCode(error).replace(/(?<!^)[A-Z]/g, (letter) => ` ${letter}`);
    const found = this.#text.slice(offset, offset + length).trim();
    const seen = found === '' ? 'the text ends' : `found ${found.slice(0, LONGEST_FOUND)}`;
    return `${this.#position(offset)}  not JSON: ${words.toLowerCase()}, ${seen}`;
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
    // `UserConfig.Namespaces[0].Queues[1].Name`
    const name = path.length === 0 ? this.#name : pathText(path).replace(/^\./, '');
    return `${this.positionOf(path)}  ${name} ${text}`;
  }

  /** `line:column` */
  positionOf(path: Path): string {
    return this.#position(this.#offsetOf(path));
  }

  /** The same of many, in the order in which they stand in the text. */
  locateAll(remarks: readonly Remark[]): string[] {
    const placed = remarks.map((remark) => ({ remark, offset: this.#offsetOf(remark.path) }));
    return placed.sort((a, b) => a.offset - b.offset).map(({ remark }) => this.locate(remark));
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
    if (seen.has(key.value))
      remarks.unshift({ path: here, text: 'is given more than once: put all of it into one' });
    seen.add(key.value);
    return remarks;
  });
}
