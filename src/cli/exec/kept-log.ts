// The log of an emulator, kept until it is known whether somebody wants to read it.

import type { Write } from '../output/output.js';

const MAX_CHARACTERS = 256 * 1024;

export class KeptLog {
  #parts: string[] = [];
  #length = 0;
  #isCut = false;
  #isEnding = false;

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

  /** From now on, only errors are kept: nobody needs to read that the emulator stops. */
  end(): void {
    this.#isEnding = true;
  }

  /** `exitCode`: that of the command, as the reason why the log is printed. */
  printTo(stderr: Write, exitCode: number | undefined): void {
    if (this.#parts.length === 0) return;
    const cut = this.#isCut ? ', of which the beginning is missing' : '';
    if (exitCode !== undefined)
      stderr(`The command ended with ${exitCode}. The log of its emulator${cut}:\n`);
    for (const part of this.#parts) stderr(part);
  }
}
