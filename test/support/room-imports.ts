// Who may import whom: each room of `src` says so in its `imports.txt`, and these rules enforce it.
//
// A room is a folder with such a file, and the folders below it that have none. A line is one of:
//   engine/            all files of this folder and of those below it
//   broker/*           only the files that lie directly in this folder
//   engine/timer.ts    this file
//   types of broker/   only types, and the words that this room names
//   words a/b.ts       a file of this room whose values those may use who may import its types
//   package ws         this package
//   node:fs            this module of Node

import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import type { Import, SourceFile } from './source-file.js';

const FILE = 'imports.txt';

export class RoomImports {
  /** The lines by their rooms, such as `broker/rules/`. `src` itself is the empty text. */
  readonly #lines: ReadonlyMap<string, readonly string[]>;
  readonly #words: readonly string[];

  constructor(texts: Readonly<Record<string, string>>) {
    const lines = Object.entries(texts).map(([room, text]) => [room, linesIn(text)] as const);
    this.#lines = new Map(lines);
    this.#words = lines.flatMap(([, each]) => each).flatMap((line) => restOf('words ', line) ?? []);
  }

  static read(): RoomImports {
    const source = resolve(import.meta.dirname, '../../src');
    const files = readdirSync(source, { recursive: true, encoding: 'utf8' });
    const found = files.map((file) => file.split(sep).join('/')).filter((file) => file.endsWith(FILE));
    const entries = found.map((file) => [
      file.slice(0, -FILE.length),
      readFileSync(join(source, file), 'utf8'),
    ]);
    return new RoomImports(Object.fromEntries(entries));
  }

  findForbiddenImports({ path, imports }: SourceFile): string[] {
    const room = this.#roomOf(path);
    if (room === '' && path.includes('/'))
      return [`${path} lies in no room: neither its folder nor one above has ${FILE}`];
    return imports
      .filter(
        (each) =>
          this.#isForeign(room, each) && !this.#linesOf(room).some((line) => this.#allows(line, each)),
      )
      .map(({ target, isTypeOnly }) => `${path} imports ${isTypeOnly ? 'types of ' : ''}${target}`);
  }

  /** Lines that no import needs, so that a file says what its room imports, and not what it might. */
  findUnusedLines(files: readonly SourceFile[]): string[] {
    return [...this.#lines].flatMap(([room, lines]) => {
      const own = files.filter(({ path }) => this.#roomOf(path) === room);
      const foreign = own.flatMap(({ imports }) => imports.filter((each) => this.#isForeign(room, each)));
      return lines
        .filter((line) => !line.startsWith('words ') && !foreign.some((each) => this.#allows(line, each)))
        .map((line) => `${room}${FILE} allows ${line}, which no file there imports`);
    });
  }

  #allows(line: string, { target, isTypeOnly }: Import): boolean {
    const ofTypes = restOf('types of ', line);
    if (ofTypes !== undefined) return covers(ofTypes, target) && (isTypeOnly || this.#words.includes(target));
    return covers(restOf('package ', line) ?? line, target);
  }

  #isForeign(room: string, { target }: Import): boolean {
    return !isOwnFile(target) || this.#roomOf(target) !== room;
  }

  #linesOf(room: string): readonly string[] {
    return this.#lines.get(room) ?? [];
  }

  /** The innermost room that the path is in. */
  #roomOf(path: string): string {
    const rooms = [...this.#lines.keys()].filter((room) => path.startsWith(room));
    return rooms.reduce((longest, room) => (room.length > longest.length ? room : longest), '');
  }
}

function covers(place: string, target: string): boolean {
  if (place.endsWith('/*')) return target.replace(/[^/]*$/, '*') === place;
  return place.endsWith('/') ? target.startsWith(place) : target === place;
}

function isOwnFile(target: string): boolean {
  return /\.tsx?$/.test(target);
}

function linesIn(text: string): string[] {
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

function restOf(start: string, line: string): string | undefined {
  return line.startsWith(start) ? line.slice(start.length) : undefined;
}
