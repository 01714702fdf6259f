// A directory that exists for one test and is gone afterwards.

import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type TemporaryDirectory = AsyncDisposable & { readonly path: string };

export async function temporaryDirectory(): Promise<TemporaryDirectory> {
  // A process that runs there calls it by this name: on macOS a link leads to it, and Windows has a short name for it.
  const path = await realpath(await mkdtemp(join(tmpdir(), 'jitney-')));
  return {
    path,
    // Windows removes a file only when the process that had it open has gone.
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5 }),
  };
}
