// The files of the log's folder, as the log sees them: a port, so that tests can cut, tear and fail them.

/** An open file. Writing and reading throw the file system's error, such as ENOSPC or EIO. */
export interface SegmentFile {
  /** Writes all bytes; they are with the operating system when this returns. */
  write(bytes: Uint8Array, position: number): void;
  /** Cuts the file off, or extends it with zeros. */
  truncate(length: number): void;
  /** Brings the data to the disk. */
  sync(): Promise<void>;
  /** The same, while the process waits. */
  syncNow(): void;
  /** Fills the bytes from the position; returns how many there were. */
  read(into: Uint8Array, position: number): Promise<number>;
  /** The same, while the process waits. */
  readNow(into: Uint8Array, position: number): number;
  /** Whether somebody has removed the file: what is written to it is lost. */
  isRemoved(): boolean;
  close(): void;
}

/** One folder. A name that does not exist is an error with the code ENOENT. */
export interface Files {
  /** The path, for error messages. */
  readonly folder: string;
  /** Creates the folder if it is not there. */
  makeFolder(): void;
  /** The names in the folder; none when it is not there. */
  list(): Promise<readonly string[]>;
  /** The length in bytes. */
  size(name: string): Promise<number>;
  /** Opens a file for reading. */
  open(name: string): SegmentFile;
  /** Creates a file; an error with the code EEXIST when there is one. */
  create(name: string): SegmentFile;
  /** Opens a file for reading and writing. */
  reopen(name: string): SegmentFile;
  remove(name: string): Promise<void>;
  /** The room that is left on the disk, in bytes; infinite when the disk does not say. */
  freeBytes(): number;
  /** Brings the names of new and removed files to the disk. */
  syncFolder(): void;
  /** Syncs the folder and all folders above it: each of them may be new, and its name not yet on the disk. */
  syncFoldersAbove(): void;
}
