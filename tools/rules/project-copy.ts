// A copy of the project in a temporary directory, to be broken and mended there while the real one stays as it is.

import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import type { ProjectFiles } from './project-files.js';

const LEFT_OUT = new Set(['node_modules', '.git', '.jitney', 'dist', 'coverage']);

export class ProjectCopy implements ProjectFiles {
  readonly directory: string;

  constructor(project: string) {
    this.directory = mkdtempSync(join(tmpdir(), 'rules-'));
    cpSync(project, this.directory, {
      recursive: true,
      filter: (source) => !LEFT_OUT.has(relative(project, source).split(sep)[0] ?? ''),
    });
    symlinkSync(join(project, 'node_modules'), join(this.directory, 'node_modules'));
  }

  read(path: string): string {
    return readFileSync(join(this.directory, path), 'utf8');
  }

  /** Has the file say something else while `work` runs. */
  async with<T>(path: string, text: string, work: () => Promise<T>): Promise<T> {
    const original = this.read(path);
    writeFileSync(join(this.directory, path), text);
    try {
      return await work();
    } finally {
      writeFileSync(join(this.directory, path), original);
    }
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 5 });
  }
}
