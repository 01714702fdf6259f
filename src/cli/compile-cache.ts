// Keeps the compiled code of the program's files for later starts. It is loaded before these files, so it imports none of them.

import { isAscii } from 'node:buffer';
import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import module, { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { Script } from 'node:vm';
import { crc32 } from 'node:zlib';

type Environment = Readonly<Record<string, string | undefined>>;
type ModuleInProgress = { exports: unknown };
/** Node's own compile cache, since 22.1. The types of Node 20 do not have it. */
type CachingModule = {
  readonly enableCompileCache?: (directory: string) => unknown;
  readonly flushCompileCache?: () => void;
};

const OWNER_ONLY = 0o700;
const CHECKSUM_BYTES = 4;
const ENDING = '.bin';
/** The wrapper of a CommonJS file. Its beginning has no line end, so that the line numbers of a stack trace are right. */
const WRAPPER_START = Buffer.from('(function (exports, require, module, __filename, __dirname) { ');
const WRAPPER_END = Buffer.from('\n})');

/** Uses the cache for everything loaded from now on. Returns a function that stores the code compiled so far. Neither throws. */
export function useCompileCache(environment: Environment): () => void {
  const directory = cacheDirectory(environment);
  if (directory === undefined) return () => {};
  const { enableCompileCache, flushCompileCache } = module as CachingModule;
  if (enableCompileCache !== undefined) {
    enableCompileCache(directory);
    return () => flushCompileCache?.();
  }
  const cache = new CompileCache(directory);
  const { extensions } = createRequire(import.meta.url);
  extensions['.cjs'] = (loaded, path) => cache.load(loaded, path);
  return () => void cache.store();
}

/** The directory of the cache; undefined for no cache. Node's own variables switch the cache off and name its directory. */
export function cacheDirectory(
  { NODE_DISABLE_COMPILE_CACHE, NODE_COMPILE_CACHE, ...environment }: Environment,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  if (NODE_DISABLE_COMPILE_CACHE) return undefined;
  if (NODE_COMPILE_CACHE) return NODE_COMPILE_CACHE;
  const { XDG_CACHE_HOME, HOME, LOCALAPPDATA } = environment;
  // On Windows the certificates are beside it in the same directory.
  if (platform === 'win32') return LOCALAPPDATA ? join(LOCALAPPDATA, 'jitney', 'cache') : undefined;
  if (XDG_CACHE_HOME?.startsWith('/')) return join(XDG_CACHE_HOME, 'jitney');
  if (!HOME) return undefined;
  return platform === 'darwin' ? join(HOME, 'Library', 'Caches', 'jitney') : join(HOME, '.cache', 'jitney');
}

/** Does for Node 20 what newer versions do themselves. A file's name must change with its content, as the names of bundles do. */
export class CompileCache {
  readonly #directory: string;
  /** The scripts that were compiled here, by the paths of their files. */
  readonly #compiled = new Map<string, Script>();

  /** Code compiled by one version of Node is of no use to another. */
  constructor(directory: string) {
    this.#directory = join(directory, `${process.version}-${process.arch}`);
  }

  /** Runs a CommonJS file, with its compiled code if that is stored. */
  load(loaded: ModuleInProgress, path: string): void {
    const cachedData = this.#read(path);
    const script = new Script(readWrapped(path), { filename: path, ...(cachedData && { cachedData }) });
    if (cachedData === undefined || script.cachedDataRejected) this.#compiled.set(path, script);
    const run = script.runInThisContext();
    run.call(loaded.exports, loaded.exports, createRequire(path), loaded, path, dirname(path));
  }

  /** Stores what was compiled, and removes what other builds have stored. Returns how many files it wrote: none if it cannot. */
  store(): number {
    if (this.#compiled.size === 0) return 0;
    try {
      mkdirSync(this.#directory, { recursive: true, mode: OWNER_ONLY });
      for (const [path, script] of this.#compiled) this.#write(path, script.createCachedData());
      this.#removeOthers(new Set([...this.#compiled.keys()].map((path) => dirname(path))));
      const { size } = this.#compiled;
      this.#compiled.clear();
      return size;
    } catch {
      return 0;
    }
  }

  /** Undefined if the file is missing, damaged or owned by another user. V8 itself refuses code that it cannot use. */
  #read(path: string): Buffer | undefined {
    try {
      const file = this.#fileOf(path);
      if (process.getuid !== undefined && statSync(file).uid !== process.getuid()) return undefined;
      const bytes = readFileSync(file);
      const data = bytes.subarray(CHECKSUM_BYTES);
      return crc32(data) === bytes.readUInt32BE() ? data : undefined;
    } catch {
      return undefined;
    }
  }

  /** Writes a file under another name and renames it, because another process may be reading it. */
  #write(path: string, data: Buffer): void {
    const checksum = Buffer.alloc(CHECKSUM_BYTES);
    checksum.writeUInt32BE(crc32(data));
    const file = this.#fileOf(path);
    const unfinished = `${file}.${process.pid}`;
    writeFileSync(unfinished, Buffer.concat([checksum, data]));
    renameSync(unfinished, file);
  }

  #removeOthers(folders: ReadonlySet<string>): void {
    const present = new Set([...folders].flatMap((folder) => readdirSync(folder)));
    for (const name of readdirSync(this.#directory)) {
      if (!present.has(basename(name, ENDING))) rmSync(join(this.#directory, name), { force: true });
    }
  }

  #fileOf(path: string): string {
    return join(this.#directory, basename(path) + ENDING);
  }
}

/**
 * The text of a file in the wrapper. The build writes ASCII alone, so the bytes are joined before they become a text: that takes a third
 * of the time that joining texts takes.
 */
function readWrapped(path: string): string {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const bytes = Buffer.alloc(WRAPPER_START.length + size + WRAPPER_END.length);
    WRAPPER_START.copy(bytes);
    readSync(file, bytes, WRAPPER_START.length, size, null);
    WRAPPER_END.copy(bytes, WRAPPER_START.length + size);
    return bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8');
  } finally {
    closeSync(file);
  }
}
