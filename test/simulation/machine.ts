// The machine under a simulated process: the files of its log and the rows of its table. The process dies at any write to either,
// or a write fails, or the power does.

import { ok } from 'node:assert';
import { MemoryLevel } from 'memory-level';
import type { RowBatch, RowStore } from '../../src/journal/table/row-store.js';
import { type FileOperation, MemoryFiles } from '../support/memory-files.js';
import type { Random } from './random.js';

export type CrashPlan = {
  /** `fault`: a write fails, and the process finds out before it is killed. */
  readonly kind: 'kill' | 'power-cut' | 'fault';
  /** The changes to files and the batches of rows that still succeed. */
  readonly afterWrites: number;
};

/** The most bytes that a torn write has written. */
const MOST_TORN_BYTES = 800;

export class Machine {
  readonly isSynced: boolean;
  readonly #random: Random;
  readonly #rows = new MemoryLevel<string, string>();
  #files = new MemoryFiles();
  #plan: CrashPlan | undefined;
  #left = 0;
  #isDead = false;
  #writing: Promise<unknown> = Promise.resolve();
  /** The rows as they were before each batch that the disk may not have, the oldest first. */
  #unsynced: ReadonlyMap<string, string | undefined>[] = [];

  constructor(random: Random, { isSynced }: { readonly isSynced: boolean }) {
    this.#random = random;
    this.isSynced = isSynced;
  }

  get files(): MemoryFiles {
    return this.#files;
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  /** Whether a write has failed, or the process has died. */
  get hasFailed(): boolean {
    return this.#plan !== undefined && this.#left < 0;
  }

  plan(plan: CrashPlan): void {
    this.#plan = plan;
    this.#left = plan.afterWrites;
  }

  /** The process dies now, whatever it was doing. */
  kill(): void {
    this.#isDead = true;
    this.#left = -1;
    this.#files.freeze();
  }

  /** What the next process finds. */
  async restart(): Promise<void> {
    this.kill();
    await this.#writing;
    const isPowerCut = this.#plan?.kind === 'power-cut';
    if (isPowerCut) await this.#loseRows();
    this.#unsynced = [];
    this.#files = isPowerCut ? this.#files.powerCut(this.#random) : this.#files.kill();
    this.#files.beforeChange = (operation) => this.#beforeChange(operation);
    this.#plan = undefined;
    this.#isDead = false;
  }

  /** After a clean stop. */
  async start(): Promise<RowStore> {
    this.#files.beforeChange = (operation) => this.#beforeChange(operation);
    await this.#rows.open();
    const rows = this.#rows;
    const files = this.#files;
    return {
      get: (key) => rows.get(key),
      getMany: (keys) => rows.getMany(keys),
      batch: () => this.#batch(files),
      iterator: () => rows.iterator(),
      close: () => rows.close(),
    };
  }

  #batch(files: MemoryFiles): RowBatch {
    const batch = this.#rows.batch();
    const keys = new Set<string>();
    return {
      put: (key, value) => {
        keys.add(key);
        batch.put(key, value);
      },
      del: (key) => {
        keys.add(key);
        batch.del(key);
      },
      write: async ({ sync }) => {
        ok(!this.#isDead && files === this.#files, 'the process has died');
        const isLast = this.#isLast();
        if (isLast && this.#plan?.kind === 'fault') throw ioError();
        if (isLast) this.kill();
        if (isLast && this.#random.chance(0.5)) throw ioError();
        this.#unsynced = sync ? [] : [...this.#unsynced, this.#rowsOf(keys)];
        this.#writing = batch.write();
        await this.#writing;
        if (isLast) throw ioError();
      },
    };
  }

  #rowsOf(keys: ReadonlySet<string>): ReadonlyMap<string, string | undefined> {
    return new Map([...keys].map((key) => [key, this.#rows.getSync(key)]));
  }

  /** Takes back some of the last batches that were not synced. */
  async #loseRows(): Promise<void> {
    await this.#rows.open(); // a clean stop has closed them
    for (let count = this.#random.integer(this.#unsynced.length + 1); count > 0; count--) {
      const batch = this.#rows.batch();
      for (const [key, row] of this.#unsynced.pop() ?? []) {
        if (row === undefined) batch.del(key);
        else batch.put(key, row);
      }
      await batch.write();
    }
  }

  #beforeChange(operation: FileOperation): void {
    if (this.#isDead || !this.#isLast()) return;
    const written = this.#random.integer(MOST_TORN_BYTES);
    if (this.#plan?.kind === 'fault') {
      this.#files.fail(operation, { code: this.#random.pick(['ENOSPC', 'EIO', 'EMFILE']), written });
    } else if (operation === 'write') {
      this.#files.fail(operation, { code: 'EIO', written, isDeath: true });
      this.#isDead = true;
    } else {
      this.kill();
    }
  }

  /** Counts a write; returns whether it is the one of the plan. */
  #isLast(): boolean {
    if (this.#plan === undefined || this.#left < 0) return false;
    this.#left -= 1;
    return this.#left < 0;
  }
}

function ioError(): Error {
  return Object.assign(new Error('EIO: the write has failed'), { code: 'EIO' });
}
