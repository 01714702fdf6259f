// The namespaces of an emulator: finds the one that a client chooses by the name of its key, makes those that nobody has named, and gives
// these up when they are no longer used.

import type { AmqpNamespaces } from './amqp/amqp-server.js';
import { type NamespaceRefusal, wrongNamespace } from './amqp/connection-binding.js';
import type { GivenNamespace } from './config/given-namespaces.js';
import { ANY_NAMESPACE, DEFAULT_NAMESPACE, splitKeyName } from './description/namespace-name.js';
import type { StartTimer } from './engine/timer.js';
import { JitneyError } from './jitney-error.js';
import type { RunningNamespace } from './namespace.js';
import type { ShownKey } from './security/access.js';

/** A namespace that a client has made by its key's name is given up this time after its last client. */
export const UNUSED_MS = 10 * 60 * 1000;
/** The most namespaces that clients can make by the names of their keys. */
const MOST_MADE = 1000;
/** An error lists so many names. */
const MOST_LISTED = 10;

type NamespacesOptions = {
  readonly default: RunningNamespace;
  /** Whether a client may name any namespace, which is then made. */
  readonly takesAny: boolean;
  /** Resolves with the reason why a key may not make a namespace of this name; undefined if it may. */
  readonly refusalOf: (name: string, key: ShownKey | undefined) => Promise<string | undefined>;
  /** Starts a namespace; one without a place on the disk is in memory. Throws a JitneyError. */
  readonly start: (given: GivenNamespace, isKept: boolean) => Promise<RunningNamespace>;
  /** Opens a port of its own for a namespace. Throws a JitneyError. */
  readonly openPort: (namespace: RunningNamespace, port: number) => Promise<number>;
  readonly closePort: (port: number) => Promise<void>;
  /** Removes what a closed namespace has on the disk. Throws a JitneyError. */
  readonly discard: (name: string) => Promise<void>;
  readonly startTimer: StartTimer;
  /** Called once for each name that clients choose and that is not there. */
  readonly onHint: (text: string) => void;
};

type Entry = {
  readonly namespace: RunningNamespace;
  readonly port: number | undefined;
  /** Whether it is given up when it is no longer used. */
  isMade: boolean;
  stopTimer: () => void;
};

type Named = { readonly name: string };

export type NamespaceChoice = RunningNamespace | NamespaceRefusal;

export class Namespaces implements AmqpNamespaces {
  readonly default: RunningNamespace;
  /** Rejects with the cause when the engine of a namespace has failed. */
  readonly failed: Promise<never>;
  readonly #options: NamespacesOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #starting = new Map<string, Promise<RunningNamespace>>();
  readonly #ending = new Map<string, Promise<void>>();
  readonly #hinted = new Set<string>();
  #fail: (cause: unknown) => void = () => {};
  #isStopped = false;

  constructor(options: NamespacesOptions) {
    this.#options = options;
    this.default = options.default;
    this.failed = new Promise((_resolve, reject) => {
      this.#fail = reject;
    });
    // Avoids an unhandled rejection when the caller does not listen.
    this.failed.catch(() => {});
    this.#watch(this.default);
  }

  get areSeveral(): boolean {
    return this.#options.takesAny || this.#entries.size > 0;
  }

  /** `default`, then the others in the order in which they were started. */
  get all(): readonly RunningNamespace[] {
    return [this.default, ...[...this.#entries.values()].map(({ namespace }) => namespace)];
  }

  /** Undefined if there is none of this name. */
  get(name: string): RunningNamespace | undefined {
    return name === DEFAULT_NAMESPACE ? this.default : this.#entries.get(name)?.namespace;
  }

  /** Whether a client has made it, so that it is given up when it is no longer used. */
  isMade({ name }: RunningNamespace): boolean {
    return this.#entries.get(name)?.isMade === true;
  }

  /** The port of its own; undefined if it has none. */
  portOf({ name }: RunningNamespace): number | undefined {
    return this.#entries.get(name)?.port;
  }

  /**
   * The namespace that the name of a key chooses, or why it cannot. A name that chooses none, and a client without a key, belong to the
   * `place` where the client has come in, or else to `default`. None is made for a connection that is `bound` to one.
   */
  find(
    key: ShownKey | undefined,
    place: RunningNamespace | undefined,
    bound?: Named,
  ): NamespaceChoice | Promise<NamespaceChoice> {
    const name = key && splitKeyName(key.keyName).namespace;
    if (name === undefined) return place ?? this.default;
    if (place !== undefined && place.name !== name) return wrongPlace(name, place);
    return this.get(name) ?? this.#make(name, key, bound);
  }

  /** The namespace of this name, or why there is none. It is made only for a key that names it: a path is read before access is checked. */
  named(name: string, key: ShownKey | undefined): NamespaceChoice | Promise<NamespaceChoice> {
    return this.get(name) ?? this.#make(name, key);
  }

  /** Starts a namespace that a person or a program names. Throws a JitneyError if it is there already. */
  async add(given: GivenNamespace): Promise<RunningNamespace> {
    const name = given.name.toLowerCase();
    if (name === ANY_NAMESPACE || this.get(name) !== undefined || this.#starting.has(name)) {
      throw new JitneyError('bad-option', `The namespace '${name}' cannot be added: ${taken(name)}`);
    }
    return this.#start({ ...given, name }, true);
  }

  /** The namespace that a program names, which is started if it is not there. It is kept until it is closed. */
  async open(given: GivenNamespace): Promise<RunningNamespace> {
    const name = given.name.toLowerCase();
    const opened = this.get(name) ?? (await (this.#starting.get(name) ?? this.add(given)));
    const entry = this.#entries.get(name);
    if (entry !== undefined) {
      entry.isMade = false;
      entry.stopTimer();
    }
    return opened;
  }

  /** Ends its clients and stops it. False if there is none of this name, or it is `default`. */
  close(name: string): Promise<boolean> {
    return this.#end(name, async () => {});
  }

  /** Closes it, and removes everything that is stored in it. False as for `close`. Throws a JitneyError. */
  remove(name: string): Promise<boolean> {
    return this.#end(name, () => this.#options.discard(name));
  }

  /** Ends logs and waits of all, while clients are still connected. */
  async endLooks(): Promise<void> {
    this.#isStopped = true;
    await Promise.allSettled([...this.#starting.values(), ...this.#ending.values()]);
    await Promise.all(this.all.map(({ parts }) => parts.endLooks()));
  }

  /** Stops all. Their clients have gone by then. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const { stopTimer } of this.#entries.values()) stopTimer();
    const outcomes = await Promise.allSettled(this.all.map(({ parts }) => parts.stop()));
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  }

  async #end(name: string, then: () => Promise<void>): Promise<boolean> {
    const entry = this.#entries.get(name);
    if (entry === undefined) return false;
    this.#entries.delete(name);
    entry.stopTimer();
    const ending = endOf(entry, this.#options).then(then);
    this.#ending.set(name, ending);
    await ending.finally(() => this.#ending.delete(name));
    return true;
  }

  /** Makes a namespace that a client names, if clients may. */
  #make(name: string, key: ShownKey | undefined, bound?: Named): NamespaceChoice | Promise<NamespaceChoice> {
    const starting = this.#starting.get(name);
    if (starting !== undefined) return orRefusal(starting);
    const isOfKey = key !== undefined && splitKeyName(key.keyName).namespace === name;
    if (!isOfKey || !this.#options.takesAny || name === ANY_NAMESPACE) return this.#unknown(name);
    if (bound !== undefined) return wrongNamespace(name, bound);
    return this.#makeFor(name, key);
  }

  async #makeFor(name: string, key: ShownKey | undefined): Promise<NamespaceChoice> {
    const refusal = await this.#options.refusalOf(name, key);
    if (refusal !== undefined) return { refusal };
    // Another client may have been first meanwhile.
    const there = this.get(name);
    if (there !== undefined) return there;
    const starting = this.#starting.get(name);
    if (starting === undefined && this.#isFull()) {
      return {
        refusal: `TooManyNamespaces: The emulator has ${MOST_MADE} namespaces, so '${name}' is not made.`,
      };
    }
    return orRefusal(starting ?? this.#start({ name }, false));
  }

  /** Counts those that are being started, too: many clients may come at once. */
  #isFull(): boolean {
    return new Set([...this.#entries.keys(), ...this.#starting.keys()]).size >= MOST_MADE;
  }

  #start(given: GivenNamespace, isKept: boolean): Promise<RunningNamespace> {
    const { name } = given;
    const starting = this.#startOne(given, isKept).finally(() => this.#starting.delete(name));
    this.#starting.set(name, starting);
    return starting;
  }

  async #startOne(given: GivenNamespace, isKept: boolean): Promise<RunningNamespace> {
    if (this.#isStopped) throw new JitneyError('not-running', 'The emulator has been stopped.');
    // Its directory is free once the last one of this name has ended.
    await this.#ending.get(given.name)?.catch(() => {});
    const namespace = await this.#options.start(given, isKept);
    try {
      const port = given.port === undefined ? undefined : await this.#options.openPort(namespace, given.port);
      this.#add(namespace, port, !isKept);
    } catch (error) {
      await namespace.close();
      throw error;
    }
    return namespace;
  }

  #add(namespace: RunningNamespace, port: number | undefined, isMade: boolean): void {
    const entry: Entry = { namespace, port, isMade, stopTimer: () => {} };
    this.#entries.set(namespace.name, entry);
    this.#watch(namespace);
    namespace.onUse = (isUsed) => {
      entry.stopTimer();
      if (!isUsed) this.#giveUpLater(entry);
    };
    this.#giveUpLater(entry);
  }

  #giveUpLater(entry: Entry): void {
    if (!entry.isMade || this.#isStopped) return;
    const { name, clientCount } = entry.namespace;
    if (clientCount > 0) return;
    entry.stopTimer = this.#options.startTimer(UNUSED_MS, () => {
      this.close(name).catch(this.#fail);
    });
  }

  #watch({ engine }: RunningNamespace): void {
    engine.failed.catch((cause: unknown) => this.#fail(cause));
  }

  #unknown(name: string): NamespaceRefusal {
    const known = this.all.map((one) => `'${one.name}'`);
    const listed = known.slice(0, MOST_LISTED).join(', ');
    const more = known.length > MOST_LISTED ? ` and ${known.length - MOST_LISTED} more` : '';
    const remedy = this.#options.takesAny
      ? 'Use a key with a name such as <policy>@<namespace>, for which its namespace is made'
      : `Start with --namespaces ${name}, or with --namespaces auto to have each made that a client names`;
    const refusal =
      `UnknownNamespace: There is no namespace '${name.slice(0, 100)}'; there ${known.length === 1 ? 'is' : 'are'} ${listed}${more}. ` +
      `${remedy}, or add it with POST /$jitney/v1/namespaces.`;
    if (!this.#hinted.has(name) && this.#hinted.size < MOST_MADE) {
      this.#hinted.add(name);
      this.#options.onHint(`A client was refused. ${refusal}`);
    }
    return { refusal };
  }
}

async function endOf(
  { namespace, port }: Entry,
  { closePort }: Pick<NamespacesOptions, 'closePort'>,
): Promise<void> {
  await namespace.close();
  if (port !== undefined) await closePort(port);
}

/** A client is refused with the error for which a namespace cannot be started. */
function orRefusal(starting: Promise<RunningNamespace>): Promise<NamespaceChoice> {
  return starting.catch((error: unknown) => {
    if (error instanceof JitneyError) return { refusal: error.message };
    throw error;
  });
}

function taken(name: string): string {
  return name === ANY_NAMESPACE ? `'${ANY_NAMESPACE}' stands for any name` : 'it is there already';
}

function wrongPlace(name: string, place: RunningNamespace): NamespaceRefusal {
  const refusal = `WrongNamespace: The token is for the namespace '${name}', but this port or path is that of '${place.name}'.`;
  return { refusal };
}
