// The files of the log in memory. They survive a kill or a power cut as real ones do, and fail when the test says so.

import type { Files, SegmentFile } from '../../src/journal/log/files.js';
import type { Random } from '../simulation/random.js';
import { MemoryFile } from './memory-file.js';

export type FileOperation =
  | 'create'
  | 'open'
  | 'write'
  | 'truncate'
  | 'sync'
  | 'read'
  | 'remove'
  | 'syncFolder'
  | 'syncFoldersAbove';
type FileFault = {
  readonly code: 'ENOSPC' | 'EIO' | 'EMFILE';
  /** How many more of these operations succeed. Default: none. */
  readonly after?: number;
  /** The bytes that a failing write writes all the same. Default: none. */
  readonly written?: number;
  /** Whether the process dies with it. Default: false. */
  readonly isDeath?: boolean;
};
type PlannedFault = Omit<FileFault, 'after'> & { left: number };

export class MemoryFiles implements Files {
  readonly folder = 'segments';
  /** Every operation that was tried, and the file: what a test may look at. */
  readonly operations: [operation: FileOperation, name: string][] = [];
  /** Called before each operation that changes something. It may throw. */
  beforeChange: (operation: FileOperation) => void = () => {};
  /** How often the file was brought to the disk while the process waited, and by a thread. */
  readonly syncCounts = { now: 0, thread: 0 };
  openCount = 0;
  readonly #names: Map<string, MemoryFile>;
  readonly #syncedNames: Map<string, MemoryFile>;
  readonly #faults = new Map<FileOperation, PlannedFault>();
  #held: (() => void)[] | undefined;
  #isFrozen = false;
  #lastWritten: MemoryFile | undefined;

  constructor(files: ReadonlyMap<string, MemoryFile> = new Map()) {
    this.#names = new Map(files);
    this.#syncedNames = new Map(files);
  }

  /** Lets an operation fail once. */
  fail(operation: FileOperation, { after = 0, ...fault }: FileFault): void {
    this.#faults.set(operation, { ...fault, left: after });
  }

  /** The process has died: whatever it still tries fails, and changes nothing. */
  freeze(): void {
    this.#isFrozen = true;
  }

  /** Syncs and reads by a thread wait for `release` from now on. */
  hold(): void {
    this.#held = [];
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const go of held) go();
  }

  /** The files as the next process finds them; with a random number the last write is torn. */
  kill(torn?: Random): MemoryFiles {
    const lastWritten = this.#lastWritten;
    const copies = [...this.#names].map(([name, file]) => {
      if (file === lastWritten && torn !== undefined) file.tear(torn);
      return [name, new MemoryFile(file.bytes)] as const;
    });
    return new MemoryFiles(new Map(copies));
  }

  /** The files as a machine finds them whose power has failed. */
  powerCut(random: Random): MemoryFiles {
    const left = new Map<string, MemoryFile>();
    for (const name of new Set([...this.#names.keys(), ...this.#syncedNames.keys()])) {
      const file = random.pick([this.#names.get(name), this.#syncedNames.get(name)]);
      if (file !== undefined) left.set(name, file.afterPowerCut(random));
    }
    return new MemoryFiles(left);
  }

  get names(): string[] {
    return [...this.#names.keys()].sort();
  }

  bytesOf(name: string): Buffer {
    return this.#file(name).bytes;
  }

  /** Puts a file there that the disk has. */
  put(name: string, bytes: Uint8Array): void {
    const file = new MemoryFile(bytes);
    this.#names.set(name, file);
    this.#syncedNames.set(name, file);
  }

  makeFolder(): void {}

  async list(): Promise<readonly string[]> {
    return [...this.#names.keys()];
  }

  async size(name: string): Promise<number> {
    return this.#file(name).length;
  }

  open(name: string): SegmentFile {
    this.#begin('open', name);
    return new OpenFile(this, name, this.#file(name), { ...this.#world, isReadOnly: true });
  }

  create(name: string): SegmentFile {
    this.beforeChange('create');
    this.#begin('create', name);
    if (this.#names.has(name)) throw fileError('EEXIST', 'create', name);
    const file = new MemoryFile();
    this.#names.set(name, file);
    return new OpenFile(this, name, file, this.#world);
  }

  reopen(name: string): SegmentFile {
    this.#begin('open', name);
    return new OpenFile(this, name, this.#file(name), this.#world);
  }

  async remove(name: string): Promise<void> {
    this.beforeChange('remove');
    this.#begin('remove', name);
    this.#file(name);
    this.#names.delete(name);
  }

  freeBytes(): number {
    return 2 ** 40;
  }

  syncFolder(): void {
    this.beforeChange('syncFolder');
    this.#begin('syncFolder', '');
    this.#syncedNames.clear();
    for (const [name, file] of this.#names) this.#syncedNames.set(name, file);
  }

  syncFoldersAbove(): void {
    this.operations.push(['syncFoldersAbove', '']);
  }

  readonly #world: World = {
    begin: (operation, name) => this.#begin(operation, name),
    pause: () => this.#pause(),
    noteWrite: (file) => {
      this.#lastWritten = file;
    },
  };

  /** Returns the bytes that a failing write writes; throws for any other failing operation. */
  #begin(
    operation: FileOperation,
    name: string,
  ): { readonly written: number; readonly error: Error } | undefined {
    this.#expectAlive();
    this.operations.push([operation, name]);
    const fault = this.#faults.get(operation);
    if (fault === undefined) return undefined;
    fault.left -= 1;
    if (fault.left >= 0) return undefined;
    this.#faults.delete(operation);
    if (fault.isDeath === true) this.freeze();
    const error = fileError(fault.code, operation, name);
    if (operation !== 'write') throw error;
    return { written: fault.written ?? 0, error };
  }

  async #pause(): Promise<void> {
    const held = this.#held;
    await new Promise<void>((resolve) => {
      if (held === undefined) setImmediate(resolve);
      else held.push(resolve);
    });
    this.#expectAlive();
  }

  #expectAlive(): void {
    if (this.#isFrozen) throw new Error('the process has died');
  }

  #file(name: string): MemoryFile {
    const file = this.#names.get(name);
    if (file === undefined) throw fileError('ENOENT', 'open', name);
    return file;
  }
}

type World = {
  readonly isReadOnly?: boolean;
  begin(
    operation: FileOperation,
    name: string,
  ): { readonly written: number; readonly error: Error } | undefined;
  pause(): Promise<void>;
  noteWrite(file: MemoryFile): void;
};

/** An open file. Using it after it was closed fails, also when a thread began before. */
class OpenFile implements SegmentFile {
  readonly #files: MemoryFiles;
  readonly #name: string;
  readonly #file: MemoryFile;
  readonly #world: World;
  #isClosed = false;

  constructor(files: MemoryFiles, name: string, file: MemoryFile, world: World) {
    this.#files = files;
    this.#name = name;
    this.#file = file;
    this.#world = world;
    files.openCount += 1;
  }

  write(bytes: Uint8Array, position: number): void {
    this.#checkWritable('write');
    this.#files.beforeChange('write');
    const fault = this.#world.begin('write', this.#name);
    this.#file.write(fault === undefined ? bytes : bytes.subarray(0, fault.written), position);
    this.#world.noteWrite(this.#file);
    if (fault !== undefined) throw fault.error;
  }

  truncate(length: number): void {
    this.#checkWritable('truncate');
    this.#files.beforeChange('truncate');
    this.#world.begin('truncate', this.#name);
    this.#file.truncate(length);
  }

  async sync(): Promise<void> {
    this.#checkWritable('sync');
    this.#files.beforeChange('sync');
    this.#files.syncCounts.thread += 1;
    this.#world.begin('sync', this.#name);
    // A thread brings nothing to the disk for certain that is written after it began.
    const { changeCount } = this.#file;
    await this.#world.pause();
    this.#check('sync');
    this.#file.sync(changeCount);
  }

  syncNow(): void {
    this.#checkWritable('sync');
    this.#files.beforeChange('sync');
    this.#files.syncCounts.now += 1;
    this.#world.begin('sync', this.#name);
    this.#file.sync();
  }

  async read(into: Uint8Array, position: number): Promise<number> {
    this.#check('read');
    this.#world.begin('read', this.#name);
    await this.#world.pause();
    this.#check('read');
    return this.#file.read(into, position);
  }

  readNow(into: Uint8Array, position: number): number {
    this.#check('read');
    this.#world.begin('read', this.#name);
    return this.#file.read(into, position);
  }

  isRemoved(): boolean {
    return !this.#files.names.includes(this.#name);
  }

  close(): void {
    this.#check('close');
    this.#isClosed = true;
    this.#files.openCount -= 1;
  }

  /** Windows does not sync a file that was opened for reading either. */
  #checkWritable(operation: string): void {
    this.#check(operation);
    if (this.#world.isReadOnly === true) throw fileError('EPERM', operation, this.#name);
  }

  #check(operation: string): void {
    if (this.#isClosed) throw fileError('EBADF', operation, this.#name);
  }
}

function fileError(code: string, operation: string, name: string): Error {
  return Object.assign(new Error(`${code}: ${operation} '${name}'`), { code });
}
