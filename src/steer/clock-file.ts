// The file with the setting of the clock in the data directory, with which a restart goes on. Without it, the broker uses the machine's time.

import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isoTime } from '../broker/contract/instant.js';
import type { ClockSetting } from '../engine/client-times.js';

export type StoredClock = ClockSetting & {
  /** How far the broker's time is ahead of the time that is shown, because it was set and then reset. */
  readonly hiddenMs: number;
};

const NAME = 'clock.json';
const FIELDS = ['realTime', 'brokerTime', 'rate', 'hiddenMs'] as const;

export class ClockFile {
  readonly #path: string;
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
    this.#path = join(directory, NAME);
  }

  /** Undefined without a file. Throws an Error that says what is wrong with the file. */
  async read(): Promise<StoredClock | undefined> {
    let text: string;
    try {
      text = await readFile(this.#path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
    const stored = parse(text);
    if (stored !== undefined) return stored;
    throw new Error(
      `${this.#path} should hold the setting of the clock, but it begins with ${JSON.stringify(text.slice(0, 60))}. ` +
        'Delete it, and the broker goes on with the time of this machine.',
    );
  }

  /** Writes the setting, and resolves when the disk has it. `undefined` removes the file. */
  async write(stored: StoredClock | undefined): Promise<void> {
    if (stored === undefined) {
      await rm(this.#path, { force: true });
      return;
    }
    await mkdir(this.#directory, { recursive: true });
    // A random name, so that nobody can have put a link to another file there.
    const temporary = `${this.#path}.${randomUUID()}.new`;
    try {
      await writeFile(temporary, `${JSON.stringify(stored)}\n`, { flag: 'wx', flush: true });
      await rename(temporary, this.#path);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }
}

/** Whether a number is in the range of times. Also used for the rate and for `hiddenMs`, which are never larger than a time. */
function isMoment(value: number): boolean {
  return Number.isFinite(value) && isoTime(value) !== undefined;
}

function parse(text: string): StoredClock | undefined {
  try {
    const stored: StoredClock = JSON.parse(text);
    const isValid = FIELDS.every((name) => isMoment(stored[name])) && stored.rate >= 0;
    return isValid ? stored : undefined;
  } catch {
    return undefined;
  }
}
