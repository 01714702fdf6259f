// The files of the log's folder on the disk.

import {
  closeSync,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  read,
  readSync,
  statfsSync,
  writeSync,
} from 'node:fs';
import { readdir, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Files, SegmentFile } from './files.js';

export class DiskFiles implements Files {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  makeFolder(): void {
    if (mkdirSync(this.folder, { recursive: true }) !== undefined) syncFolder(join(this.folder, '..'));
  }

  async list(): Promise<readonly string[]> {
    return readdir(this.folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
  }

  async size(name: string): Promise<number> {
    return (await stat(join(this.folder, name))).size;
  }

  open(name: string): SegmentFile {
    return new DiskFile(openSync(join(this.folder, name), 'r'));
  }

  create(name: string): SegmentFile {
    return new DiskFile(openSync(join(this.folder, name), 'wx+'));
  }

  reopen(name: string): SegmentFile {
    return new DiskFile(openSync(join(this.folder, name), 'r+'));
  }

  remove(name: string): Promise<void> {
    return unlink(join(this.folder, name));
  }

  freeBytes(): number {
    const { blocks, bavail, bsize } = statfsSync(this.folder);
    // Some file systems in user space report nothing.
    return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize;
  }

  syncFolder(): void {
    syncFolder(this.folder);
  }

  syncFoldersAbove(): void {
    for (let folder = dirname(this.folder); ; folder = dirname(folder)) {
      syncIfAllowed(folder);
      if (folder === dirname(folder)) return;
    }
  }
}

class DiskFile implements SegmentFile {
  readonly #descriptor: number;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  write(bytes: Uint8Array, position: number): void {
    for (let written = 0; written < bytes.length; ) {
      written += writeSync(this.#descriptor, bytes, written, bytes.length - written, position + written);
    }
  }

  truncate(length: number): void {
    ftruncateSync(this.#descriptor, length);
  }

  sync(): Promise<void> {
    return new Promise((resolve, reject) => {
      fdatasync(this.#descriptor, (error) => (error === null ? resolve() : reject(error)));
    });
  }

  syncNow(): void {
    fdatasyncSync(this.#descriptor);
  }

  async read(into: Uint8Array, position: number): Promise<number> {
    let count = 0;
    while (count < into.length) {
      const more = await this.#readOnce(into, count, position + count);
      if (more === 0) break;
      count += more;
    }
    return count;
  }

  readNow(into: Uint8Array, position: number): number {
    let count = 0;
    while (count < into.length) {
      const more = readSync(this.#descriptor, into, count, into.length - count, position + count);
      if (more === 0) break;
      count += more;
    }
    return count;
  }

  isRemoved(): boolean {
    return fstatSync(this.#descriptor).nlink === 0;
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #readOnce(into: Uint8Array, start: number, position: number): Promise<number> {
    return new Promise((resolve, reject) => {
      read(this.#descriptor, into, start, into.length - start, position, (error, count) =>
        error === null ? resolve(count) : reject(error),
      );
    });
  }
}

/** Syncs a folder. One that this user may not open was not made by an emulator, and is skipped. */
function syncIfAllowed(folder: string): void {
  try {
    syncFolder(folder);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!['EACCES', 'EPERM'].includes(code)) throw error;
  }
}

/** Brings the names in a folder to the disk. Windows cannot open a folder, and does this by itself. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
