// A namespace: an engine over data of its own, with all that its clients, tests and people use. Counts its clients.

import type { AmqpNamespace } from './amqp/connection-binding.js';
import { OpenConnections } from './amqp/open-connections.js';
import type { AutoCreate } from './auto-create.js';
import type { CurrentConfiguration } from './config/current-configuration.js';
import type { SetupContext } from './config/entity-setup.js';
import type { KeptEntities } from './config/kept-entities.js';
import type { EmulatorOptions } from './config/options/emulator-options.js';
import type { Engine } from './engine/engine.js';
import type { OpenWaits } from './inspect/wait-until.js';
import type { Authorizer } from './security/authorizer.js';
import type { Snapshots } from './snapshots.js';
import type { EmulatorClock } from './steer/emulator-clock.js';
import type { Faults } from './steer/faults.js';
import type { ActivityStream } from './watch/activity-stream.js';

export type NamespaceParts = {
  readonly name: string;
  /** The emulator's options as they are for this namespace: with its own directory, policies and log. */
  readonly options: EmulatorOptions;
  readonly engine: Engine;
  /** The entities that the start found in its directory. */
  readonly kept: KeptEntities;
  readonly setup: SetupContext;
  readonly configuration: CurrentConfiguration;
  readonly activity: ActivityStream;
  readonly clock: EmulatorClock;
  readonly faults: Faults;
  readonly snapshots: Snapshots;
  readonly authorizer: Authorizer;
  readonly autoCreate: AutoCreate | undefined;
  /** Returns ` Did you mean 'x'?` for the path of a missing entity, or an empty text. */
  readonly similarTo: (path: string) => Promise<string>;
  /** The waits of tests. */
  readonly waits: OpenWaits;
  /** Starts to record and to log. Called with the first use, so that a namespace that nobody uses has no records. */
  readonly wake: () => void;
  /** Ends logs and waits, while clients are still connected. */
  readonly endLooks: () => Promise<void>;
  /** Stops everything, once its clients have gone. */
  readonly stop: () => Promise<void>;
};

export class RunningNamespace implements AmqpNamespace {
  readonly parts: NamespaceParts;
  readonly connections = new OpenConnections();
  /** Called when the first client comes, and when the last one has gone. */
  onUse: (isUsed: boolean) => void = () => {};
  readonly #clients = new Set<() => void>();
  #isAwake = false;

  constructor(parts: NamespaceParts) {
    this.parts = parts;
    parts.faults.connections = this.connections;
  }

  get name(): string {
    return this.parts.name;
  }

  get options(): EmulatorOptions {
    return this.parts.options;
  }

  get engine(): Engine {
    return this.parts.engine;
  }

  get authorizer(): Authorizer {
    return this.parts.authorizer;
  }

  get autoCreate(): AutoCreate | undefined {
    return this.parts.autoCreate;
  }

  get similarTo(): (path: string) => Promise<string> {
    return this.parts.similarTo;
  }

  get activity(): ActivityStream {
    return this.parts.activity;
  }

  get faults(): Faults {
    return this.parts.faults;
  }

  /** Clients over AMQP, and requests over HTTP that are being answered. */
  get clientCount(): number {
    return this.#clients.size;
  }

  wake(): void {
    if (this.#isAwake) return;
    this.#isAwake = true;
    this.parts.wake();
  }

  enter(end: () => void): () => void {
    this.wake();
    // A function of its own for each client, as two may give the same one.
    const client = () => end();
    this.#clients.add(client);
    if (this.#clients.size === 1) this.onUse(true);
    return () => {
      if (this.#clients.delete(client) && this.#clients.size === 0) this.onUse(false);
    };
  }

  /** Brings back exactly the configured entities, and removes all faults. */
  async resetEntities(): Promise<void> {
    const { faults, configuration, engine } = this.parts;
    faults.clear();
    await configuration.reset((command) => engine.ask(command));
  }

  /** Ends every client, then stops. */
  async close(): Promise<void> {
    await this.parts.endLooks();
    for (const end of [...this.#clients]) end();
    await this.parts.stop();
  }
}
