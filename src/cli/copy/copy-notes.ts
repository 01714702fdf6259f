// The notes of a copy, in a file of the user between its runs: how far it is at a destination that keeps no marks, and the messages of a
// move that are on their way.

import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Marks, type MessageToCopy, partitionIn } from './copy-side.js';

/** The directory will also have the key of the certificate authority. */
const OWNER_ONLY = 0o700;

type UnderWay = { readonly path: string; readonly digests: Readonly<Record<string, string>> };
type Notes = {
  /** By the path in the destination, the last number of each partition. */
  readonly marks: Readonly<Record<string, readonly number[]>>;
  /** By the path in the destination, what it has behind a message that it refused. */
  readonly ahead?: Readonly<Record<string, readonly number[]>>;
  readonly underWay?: UnderWay | undefined;
};

export class CopyNotes {
  readonly #file: string | undefined;
  #notes: Notes;

  private constructor(file: string | undefined, notes: Notes) {
    this.#file = file;
    this.#notes = notes;
  }

  /** `directory`: that of the user; undefined: nothing is kept, and a second run brings everything again. */
  static async open(directory: string | undefined, importId: string): Promise<CopyNotes> {
    if (directory === undefined) return new CopyNotes(undefined, { marks: {} });
    const file = join(directory, 'copies', `${importId}.json`);
    const text = await readFile(file, 'utf8').catch(() => '');
    return new CopyNotes(file, text === '' ? { marks: {} } : (JSON.parse(text) as Notes));
  }

  marks(path: string): Marks {
    return new Map((this.#notes.marks[path] ?? []).map((mark) => [partitionIn(mark), mark]));
  }

  /** Whether the destination has this message, though it refused one before it. */
  isAhead(path: string, sequenceNumber: number): boolean {
    return this.#notes.ahead?.[path]?.includes(sequenceNumber) === true;
  }

  /** The destination has these messages, and all before them; and those ahead, but not all before those. */
  async mark(path: string, sequenceNumbers: readonly number[], ahead: readonly number[] = []): Promise<void> {
    const marks = new Map(this.marks(path));
    for (const number of sequenceNumbers) {
      const partition = partitionIn(number);
      marks.set(partition, Math.max(marks.get(partition) ?? 0, number));
    }
    const isAhead = (number: number) => number > (marks.get(partitionIn(number)) ?? 0);
    const allAhead = [...(this.#notes.ahead?.[path] ?? []), ...ahead].filter(isAhead);
    await this.#write({
      ...this.#notes,
      marks: { ...this.#notes.marks, [path]: [...marks.values()] },
      ahead: { ...this.#notes.ahead, [path]: allAhead },
    });
  }

  /** The numbers of the batch that an earlier run may have brought without deleting it. */
  underWay(path: string): readonly number[] {
    const { underWay } = this.#notes;
    return underWay?.path === path ? Object.keys(underWay.digests ?? {}).map(Number) : [];
  }

  /** False for a message that only has the number of one under way, as in a source that was started anew. */
  isUnderWay(path: string, message: MessageToCopy): boolean {
    const { underWay } = this.#notes;
    return underWay?.path === path && underWay.digests[message.sequenceNumber] === digestOf(message);
  }

  /** Called before these messages are put into the destination, to be deleted at the source then. */
  async begin(path: string, messages: readonly MessageToCopy[]): Promise<void> {
    const digests = Object.fromEntries(messages.map((one) => [one.sequenceNumber, digestOf(one)]));
    await this.#write({ ...this.#notes, underWay: { path, digests } });
  }

  /** The messages under way are deleted at the source. */
  async settle(): Promise<void> {
    await this.#write({ ...this.#notes, underWay: undefined });
  }

  /** The copy has ended: the next one begins again. */
  async end(): Promise<void> {
    this.#notes = { marks: {} };
    if (this.#file !== undefined) await rm(this.#file, { force: true });
  }

  async #write(notes: Notes): Promise<void> {
    this.#notes = notes;
    if (this.#file === undefined) return;
    await mkdir(dirname(this.#file), { recursive: true, mode: OWNER_ONLY });
    await writeFile(`${this.#file}.new`, JSON.stringify(notes));
    await rename(`${this.#file}.new`, this.#file);
  }
}

/** Tells two messages with the same number apart, and is the same as long as a message lies in its store. */
function digestOf({ sequenceNumber, messageId, enqueuedTime }: MessageToCopy): string {
  const text = JSON.stringify([sequenceNumber, messageId, enqueuedTime]);
  return createHash('sha256').update(text).digest('base64url');
}
