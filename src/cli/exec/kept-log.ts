// The log of an emulator, kept until it is known whether somebody wants to read it.

import { oneLine } from '../output/one-line.js';
import type { Write } from '../output/output.js';

const MAX_CHARACTERS = 256 * 1024;
const MOST_NOT_TAKEN = 10;

export class KeptLog {
  #parts: string[] = [];
  #length = 0;
  #isCut = false;
  #isEnding = false;
  /** The last messages that a subscription did not take: of several for the same reason only the last one. */
  readonly #notTaken = new Map<string, string>();

  /** Keeps a text, and gives up the oldest ones above 256 KB. */
  readonly write: Write = (text) => {
    if (this.#isEnding && !text.startsWith('✖')) return;
    this.#parts.push(text);
    this.#length += text.length;
    while (this.#length > MAX_CHARACTERS && this.#parts.length > 1) {
      this.#length -= this.#parts.shift()?.length ?? 0;
      this.#isCut = true;
    }
  };

  /** `line`: such as `'events' #1 was not taken by 'mail' (rule 'paid' wants ...).`, in a namespace after `[its name] `. */
  noteNotTaken(line: string): void {
    const reason = line.replace(/^\[[^\]]*\] /, '').replace(/ #\d+/, '');
    this.#notTaken.delete(reason);
    this.#notTaken.set(reason, line);
    const [oldest] = this.#notTaken.keys();
    if (oldest !== undefined && this.#notTaken.size > MOST_NOT_TAKEN) this.#notTaken.delete(oldest);
  }

  /** From now on, only errors are written to the log: nobody needs to read that the emulator stops. */
  end(): void {
    this.#isEnding = true;
  }

  /** `exitCode`: that of the command, as the reason why the log is printed. */
  printTo(stderr: Write, exitCode: number | undefined): void {
    const hasLog = this.#parts.length > 0;
    const hasEnded = exitCode === undefined ? '' : `The command ended with ${exitCode}. `;
    const cut = this.#isCut ? ', of which the beginning is missing' : '';
    if (hasLog && exitCode !== undefined) stderr(`${hasEnded}The log of its emulator${cut}:\n`);
    for (const part of this.#parts) stderr(part);
    if (this.#notTaken.size === 0) return;
    stderr(
      `${hasLog ? '' : hasEnded}The last messages that a subscription did not take, each reason once:\n`,
    );
    for (const line of this.#notTaken.values()) stderr(`${oneLine(line)}\n`);
  }
}
