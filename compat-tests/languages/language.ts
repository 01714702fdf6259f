// One client library as its folder describes it: what it needs, how it is installed and run, and what it cannot do.

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { RunningProcess } from '../support/running-process.js';

type Command = readonly string[];

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/jitney-languages', import.meta.url));
const DESCRIPTION_FILE = 'language.json';
const NEED_LIMIT_MS = 30_000;
/** A first install downloads everything. */
const INSTALL_LIMIT_MS = 900_000;
const LINES_SHOWN = 15;

const command = z.array(z.string()).min(1);
const descriptionSchema = z.strictObject({
  id: z.string(),
  title: z.string(),
  library: z.string(),
  needs: z.array(command),
  /** The packages that a person installs to have them. */
  toInstall: z.string().optional(),
  env: z.record(z.string(), z.string()).default({}),
  install: z.array(command).default([]),
  /** The program of the scenarios, or none. */
  run: command.optional(),
  /** The folder of its example in `examples`. */
  example: z.string().optional(),
  leftOut: z.record(z.string(), z.string()).default({}),
});

type Description = z.infer<typeof descriptionSchema>;

export class Language {
  readonly description: Description;
  readonly folder: string;
  readonly #cache: string;

  constructor(folder: string, cache = CACHE) {
    this.folder = folder;
    const text = readFileSync(join(folder, DESCRIPTION_FILE), 'utf8');
    const { data, error } = descriptionSchema.safeParse(JSON.parse(text));
    if (error !== undefined) {
      throw new Error(`${join(folder, DESCRIPTION_FILE)}: ${z.prettifyError(error)}`);
    }
    this.description = data;
    this.#cache = join(cache, data.id);
  }

  get id(): string {
    return this.description.id;
  }

  get run(): Command | undefined {
    const { run } = this.description;
    return run === undefined ? undefined : this.#fill(run);
  }

  get env(): Readonly<Record<string, string>> {
    const entries = Object.entries(this.description.env);
    return Object.fromEntries(entries.map(([name, value]) => [name, this.#fillText(value)]));
  }

  /** Why it cannot run on this machine and what would change that; undefined if it can. */
  async findMissing(): Promise<string | undefined> {
    for (const need of this.description.needs) {
      const [name = ''] = need;
      const { toInstall = name } = this.description;
      const { code } = await this.#execute(need, NEED_LIMIT_MS);
      if (code !== 0) return `"${need.join(' ')}" does not work here; it takes ${toInstall}`;
    }
    return undefined;
  }

  /** Does nothing where the same folder has been installed before. */
  async install(): Promise<void> {
    const stamp = join(this.#cache, 'installed');
    const hash = hashOf(this.folder);
    if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;
    mkdirSync(this.#cache, { recursive: true });
    for (const step of this.description.install) {
      const { code, output } = await this.#execute(this.#fill(step), INSTALL_LIMIT_MS);
      if (code === 0) continue;
      throw new Error(`"${step.join(' ')}" ended with ${code ?? 'a signal'}:\n${lastLines(output)}`);
    }
    writeFileSync(stamp, hash);
  }

  async #execute([name = '', ...rest]: Command, limitMs: number) {
    const options = { command: name, env: this.env, workingDirectory: this.folder };
    const program = new RunningProcess(rest, options);
    try {
      const exit = await program.endedWithin(limitMs);
      return { code: exit?.code, output: program.output };
    } catch (error) {
      return { code: undefined, output: String(error) };
    }
  }

  #fill(parts: Command): Command {
    return parts.map((part) => this.#fillText(part));
  }

  #fillText(text: string): string {
    return text.replaceAll('{cache}', this.#cache).replaceAll('{folder}', this.folder);
  }
}

/** The languages that have a folder here, in the order of their ids. */
export function findLanguages(root = fileURLToPath(new URL('.', import.meta.url))): readonly Language[] {
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(root, entry.name, DESCRIPTION_FILE)))
    .map(({ name }) => new Language(join(root, name)))
    .sort((one, other) => (one.id < other.id ? -1 : 1));
}

export function lastLines(text: string, count = LINES_SHOWN): string {
  return text.trimEnd().split('\n').slice(-count).join('\n');
}

function hashOf(folder: string): string {
  const hash = createHash('sha256');
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile() && !entry.parentPath.includes('__pycache__'));
  for (const file of files.map((entry) => join(entry.parentPath, entry.name)).sort()) {
    hash
      .update(`${relative(folder, file)}\0`)
      .update(readFileSync(file))
      .update('\0');
  }
  return hash.digest('hex');
}
