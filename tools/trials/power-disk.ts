// A disk in memory that is told the calls of a process, and says what could be on it if the power failed now.
//
// It has what a finished sync of a file brought to it. Of everything later it has nothing, all, a part of the writes or of the sectors of
// 512 bytes, or the writes up to somewhere in the middle of one; but never a sector's later state without what was written to that sector
// before. That a name is new, moved or removed is on the disk once its folder was synced, or, as on ext4, the new file itself. Later
// changes of names reach the disk in their order, any number of them, as file systems with a journal do it: LevelDB relies on that, and
// removes the manifest that CURRENT named before, without a sync of the folder between.

import { dirname } from 'node:path';
import type { Random } from '../../compat-tests/support/seeded-random.js';
import type { FileCall, TraceEvent } from './trace.js';

const SECTOR_BYTES = 512;
const FATES = ['none', 'all', 'torn', 'writes', 'sectors'] as const;

type Fate = (typeof FATES)[number];
/** A sync is what makes `isSynced` true. */
type Write = { readonly kind: 'write'; readonly offset: number; readonly bytes: Buffer; isSynced: boolean };
type Change = Write | { readonly kind: 'truncate'; readonly length: number; isSynced: boolean };
type StoredFile = { readonly kind: 'file'; length: number; readonly changes: Change[] };
type Stored = StoredFile | { readonly kind: 'folder' };
type Names = Map<string, Stored>;
type NameChange = {
  readonly folder: string;
  /** The file or folder that is new with this change. */
  readonly created: Stored | undefined;
  apply(names: Names): unknown;
  isSynced: boolean;
};
type Descriptor = {
  readonly stored: Stored;
  readonly path: string;
  readonly isAppending: boolean;
  offset: number;
};

/** The files and folders on a disk, by path. A folder comes before what is in it. */
export type DiskState = ReadonlyMap<string, Buffer | 'folder'>;

export class PowerDisk {
  readonly #root: string;
  readonly #names: Names;
  readonly #nameChanges: NameChange[] = [];
  readonly #open = new Map<number, Descriptor>();
  /** What each sync that has begun will have brought to the disk. */
  readonly #syncs = new WeakMap<FileCall, readonly (Change | NameChange)[]>();

  /** `root`: an empty folder that is on the disk. */
  constructor(root: string) {
    this.#root = root;
    this.#names = new Map([[root, { kind: 'folder' }]]);
  }

  /** Descriptors of the next process begin anew. */
  processEnded(): void {
    this.#open.clear();
  }

  /** What a call changes is noted at its end: before, nobody can have been told. */
  note({ kind, call }: TraceEvent): void {
    const { name, result = 0 } = call;
    if (result < 0) return;
    const isSync = name === 'fsync' || name === 'fdatasync';
    if (kind === 'begin') {
      if (isSync) this.#syncs.set(call, this.#unsyncedOf(call));
      // The number may belong to another file before the call has ended.
      if (name === 'close') this.#open.delete(descriptorOf(call));
    } else if (!isSync) this.#change(call);
    else if (call.result === 0) for (const change of this.#syncs.get(call) ?? []) change.isSynced = true;
  }

  /** What the running system has. */
  get whole(): DiskState {
    return stateOf(this.#root, this.#names, ({ changes }) => changes);
  }

  /** What the disk may have. */
  cut(random: Random): DiskState {
    const names: Names = new Map([[this.#root, { kind: 'folder' }]]);
    const unsynced = this.#nameChanges.filter(({ isSynced }) => !isSynced);
    const lost = new Set(unsynced.slice(countKept(FATES[random.integer(0, 2)], unsynced.length, random)));
    for (const change of this.#nameChanges) if (!lost.has(change)) change.apply(names);
    const fate = FATES[random.integer(0, FATES.length - 1)];
    return stateOf(this.#root, names, ({ changes }) =>
      fate === 'writes' || fate === 'sectors'
        ? scattered(changes, fate, random)
        : inOrder(changes, fate, random),
    );
  }

  #unsyncedOf(call: FileCall): readonly (Change | NameChange)[] {
    const { stored, path } = this.#open.get(descriptorOf(call)) ?? {};
    const names = this.#nameChanges.filter(({ folder, created }) =>
      stored?.kind === 'folder' ? folder === path : created !== undefined && created === stored,
    );
    const changes = stored?.kind === 'file' ? stored.changes : [];
    return [...names, ...changes].filter(({ isSynced }) => !isSynced);
  }

  #change(call: FileCall): void {
    const { name, texts } = call;
    if (name.includes('write') || name === 'ftruncate') return this.#changeFile(call);
    const [path = '', target = ''] = texts.map(String);
    const stored = this.#names.get(path);
    if (name.startsWith('open')) this.#openFile(call, path);
    else if (name.startsWith('mkdir')) this.#create(path, { kind: 'folder' });
    else if (name.startsWith('rename')) {
      this.#changeNames(target, (names) => {
        if (names.get(path) === stored) names.delete(path);
        if (stored !== undefined) names.set(target, stored);
      });
    } else if (name.startsWith('unlink') || name === 'rmdir') {
      this.#changeNames(path, (names) => names.get(path) === stored && names.delete(path));
    }
  }

  #openFile({ words, result }: FileCall, path: string): void {
    const flags = words.join();
    const isNew = flags.includes('O_CREAT') && !this.#names.has(path);
    if (isNew) this.#create(path, { kind: 'file', length: 0, changes: [] });
    const stored = this.#names.get(path);
    if (stored === undefined || result === undefined) return;
    if (stored.kind === 'file' && flags.includes('O_TRUNC') && stored.length > 0) truncate(stored, 0);
    this.#open.set(result, { stored, path, isAppending: flags.includes('O_APPEND'), offset: 0 });
  }

  #changeFile(call: FileCall): void {
    const descriptor = this.#open.get(descriptorOf(call));
    if (descriptor?.stored.kind !== 'file') return;
    const { stored, isAppending } = descriptor;
    const last = Number(call.words.at(-1));
    if (call.name === 'ftruncate') return truncate(stored, last);
    const bytes = Buffer.concat(call.texts).subarray(0, call.result);
    const isPlaced = call.name.startsWith('p');
    const offset = isPlaced ? last : isAppending ? stored.length : descriptor.offset;
    if (!isPlaced) descriptor.offset = offset + bytes.length;
    stored.changes.push({ kind: 'write', offset, bytes, isSynced: false });
    stored.length = Math.max(stored.length, offset + bytes.length);
  }

  #create(path: string, created: Stored): void {
    this.#changeNames(path, (names) => names.set(path, created), created);
  }

  #changeNames(path: string, apply: (names: Names) => unknown, created?: Stored): void {
    if (!path.startsWith(`${this.#root}/`)) return;
    this.#nameChanges.push({ folder: dirname(path), created, apply, isSynced: false });
    apply(this.#names);
  }
}

function truncate(file: StoredFile, length: number): void {
  file.changes.push({ kind: 'truncate', length, isSynced: false });
  file.length = length;
}

/** The number before the path that `-y` adds. */
function descriptorOf({ words }: FileCall): number {
  return Number.parseInt(words[0] ?? '', 10);
}

function countKept(fate: Fate | undefined, count: number, random: Random): number {
  if (fate === 'none') return 0;
  return fate === 'all' ? count : random.integer(0, count);
}

/** The first of the changes, and a part of the next. */
function inOrder(changes: readonly Change[], fate: Fate | undefined, random: Random): readonly Change[] {
  const unsynced = changes.filter(({ isSynced }) => !isSynced);
  const lost = unsynced.slice(countKept(fate, unsynced.length, random));
  const isLost = new Set(lost);
  return changes.flatMap((change) => {
    if (!isLost.has(change)) return [change];
    if (fate !== 'torn' || change !== lost[0] || change.kind !== 'write') return [];
    return [part(change, 0, random.integer(0, change.bytes.length))];
  });
}

/** Any of the changes, or any of the sectors they write. */
function scattered(
  changes: readonly Change[],
  fate: 'writes' | 'sectors',
  random: Random,
): readonly Change[] {
  const kept: Change[] = [];
  const sectors = new Set<number>();
  // Backwards: a sector that has a later write has the earlier ones too.
  for (const change of changes.toReversed()) {
    const isKept = change.isSynced || random.chance(0.5);
    if (change.isSynced || change.kind === 'truncate') {
      if (isKept) kept.push(change);
      continue;
    }
    for (let at = 0; at < change.bytes.length; ) {
      const sector = Math.floor((change.offset + at) / SECTOR_BYTES);
      const end = (sector + 1) * SECTOR_BYTES - change.offset;
      if (fate === 'sectors' ? random.chance(0.5) : isKept) sectors.add(sector);
      if (sectors.has(sector)) kept.push(part(change, at, end));
      at = end;
    }
  }
  return kept.reverse();
}

function part({ offset, bytes, ...write }: Write, start: number, end: number): Write {
  return { ...write, offset: offset + start, bytes: bytes.subarray(start, end) };
}

/** What is in a folder that the disk lacks is lost with it. */
function stateOf(root: string, names: Names, changesOf: (file: StoredFile) => readonly Change[]): DiskState {
  const state = new Map<string, Buffer | 'folder'>();
  for (const [path, stored] of [...names].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (path !== root && !state.has(dirname(path))) continue;
    state.set(path, stored.kind === 'folder' ? 'folder' : contentAfter(changesOf(stored)));
  }
  return state;
}

function contentAfter(changes: readonly Change[]): Buffer {
  const endOf = (change: Change) =>
    change.kind === 'write' ? change.offset + change.bytes.length : change.length;
  const content = Buffer.alloc(changes.reduce((most, change) => Math.max(most, endOf(change)), 0));
  let length = 0;
  for (const change of changes) {
    if (change.kind === 'write') change.bytes.copy(content, change.offset);
    else content.fill(0, change.length);
    length = change.kind === 'write' ? Math.max(length, endOf(change)) : change.length;
  }
  return content.subarray(0, length);
}
