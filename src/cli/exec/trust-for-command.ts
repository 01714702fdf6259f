// The files with which a command trusts its emulator. Without a directory to keep them in, they are in one that ends with the command.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../../config/environment.js';
import type { Settings } from '../../config/settings.js';
import type { AskRunning } from '../control/running-authority.js';
import { openTrustFiles, type TrustFiles } from '../files/trust-files.js';
import type { Write } from '../output/output.js';

type Context = { readonly environment: Environment; readonly askRunning: AskRunning };

export class TrustForCommand {
  readonly #context: Context;
  #temporary: string | undefined;

  constructor(context: Context) {
    this.#context = context;
  }

  /** Throws a JitneyError. */
  async open(settings: Settings, warn: Write): Promise<TrustFiles> {
    const { askRunning } = this.#context;
    const kept = await openTrustFiles(settings, { askRunning, warn });
    if (kept.kind !== 'no-directory') return this.#withOthers(kept);
    const userDirectory = await this.#directory();
    return this.#withOthers(await openTrustFiles({ ...settings, userDirectory }, { askRunning, warn }));
  }

  async end(): Promise<void> {
    if (this.#temporary !== undefined) await rm(this.#temporary, { recursive: true, force: true });
  }

  /** Adds the authorities that the environment already gives to Node, such as that of a company's proxy. */
  async #withOthers(trust: TrustFiles): Promise<TrustFiles> {
    const given = this.#context.environment.NODE_EXTRA_CA_CERTS;
    if (trust.kind !== 'ours' || !given || given === trust.authority) return trust;
    const others = await readFile(given, 'utf8').catch(() => '');
    if (others === '') return trust;
    const authority = join(await this.#directory(), 'authorities.pem');
    await writeFile(authority, `${await readFile(trust.authority, 'utf8')}\n${others}`);
    return { ...trust, authority };
  }

  async #directory(): Promise<string> {
    this.#temporary ??= await mkdtemp(join(tmpdir(), 'jitney-exec-'));
    return this.#temporary;
  }
}
