// The files of the log's folder, as the log sees them. This is a port, so that tests can cut, tear and fail them.

/** An open file. Writing and reading throw the file system's error, such as ENOSPC or EIO. */
export interface SegmentFile {
  /** Writes all bytes; the operating system has them when this returns. */
  write(bytes: Uint8Array, position: number): void;
  /** Cuts the file to this length, or extends it with zeros. */
  truncate(length: number): void;
  /** Brings the data to the disk. */
  sync(): Promise<void>;
  /** The same, but blocks the process. */
  syncNow(): void;
  /** Fills `into` from the position on; returns how many bytes there were. */
  read(into: Uint8Array, position: number): Promise<number>;
  /** The same, but blocks the process. */
  readNow(into: Uint8Array, position: number): number;
  /** Whether somebody has removed the file, so that everything written to it is lost. */
  isRemoved(): boolean;
  close(): void;
}

/** One folder. A name that does not exist is an error with the code ENOENT. */
export interface Files {
  /** The path, for error messages. */
  readonly folder: string;
  /** Creates the folder if it is not there. */
  makeFolder(): void;
  /** The names in the folder; none if it does not exist. */
  list(): Promise<readonly string[]>;
  /** The length in bytes. */
  size(name: string): Promise<number>;
  /** Opens a file for reading. */
  open(name: string): SegmentFile;
  /** Creates a file. If it exists, throws an error with the code EEXIST. */
  create(name: string): SegmentFile;
  /** Opens a file for reading and writing. */
  reopen(name: string): SegmentFile;
  remove(name: string): Promise<void>;
  /** The free bytes of the disk; infinite if the disk does not report them. */
  freeBytes(): number;
  /** Brings the names of new and removed files to the disk. */
  syncFolder(): void;
  /** Syncs the folder and all folders above it: each may be new, so that its name is not on the disk yet. */
  syncFoldersAbove(): void;
}
