// The configuration of a running emulator: applies another one, and comes back to the last one.

import { type AppliedChange, applyEntities } from './apply-entities.js';
import { collectEntities, type Entities } from './configured-entities.js';
import type { SetupContext } from './entity-setup.js';
import type { Ask } from './list-entities.js';
import type { EmulatorOptions } from './options/emulator-options.js';
import { resetEntities } from './reset-entities.js';

export type ConfigurationOptions = Pick<EmulatorOptions, 'queues' | 'topics' | 'configFile' | 'configJson'>;

export class CurrentConfiguration {
  readonly #setup: SetupContext;
  readonly #options: Pick<EmulatorOptions, 'tier' | 'limits'>;
  #entities: Entities;
  /** The end of the last change: one is applied after the other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(entities: Entities, options: Pick<EmulatorOptions, 'tier' | 'limits'>, setup: SetupContext) {
    this.#entities = entities;
    this.#options = options;
    this.#setup = setup;
  }

  /** Throws a JitneyError, and then nothing has changed. */
  apply(
    given: ConfigurationOptions,
    { prune = false }: { readonly prune?: boolean } = {},
  ): Promise<readonly AppliedChange[]> {
    const applied = this.#last.then(async () => {
      const { tier, limits } = this.#options;
      const after = await collectEntities({ ...given, tier, limits });
      const changes = await applyEntities({ before: this.#entities, after }, prune, this.#setup);
      this.#entities = after;
      return changes;
    });
    this.#last = applied.catch(() => {});
    return applied;
  }

  reset(ask: Ask): Promise<void> {
    return resetEntities(this.#entities, { ask, limits: this.#setup.limits });
  }
}
