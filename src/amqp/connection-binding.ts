// Binds a connection to a namespace, once: by the first key or token of its client, or with the first link that needs none.

import type { AutoCreate } from '../auto-create.js';
import type { Engine } from '../engine/engine.js';
import type { ShownKey } from '../security/access.js';
import type { Authorizer } from '../security/authorizer.js';
import { keyOfToken } from '../security/sas-token.js';
import type { Faults } from '../steer/faults.js';
import type { ActivityStream } from '../watch/activity-stream.js';
import type { OpenConnections } from './open-connections.js';

/** The parts of a namespace that its connections use. */
export type AmqpNamespace = {
  readonly name: string;
  readonly engine: Engine;
  readonly authorizer: Authorizer | undefined;
  readonly autoCreate: AutoCreate | undefined;
  /** Names the entity that was probably meant, in the answer to a token for a missing one. Default: nothing is said. */
  readonly similarTo?: ((path: string) => Promise<string>) | undefined;
  readonly activity: ActivityStream | undefined;
  readonly faults: Faults | undefined;
  readonly connections: OpenConnections;
  /** Counts a client, which `end` ends when the namespace is closed. Returns a function to call when the client has gone. */
  enter?(end: () => void): () => void;
};

/** Why a key or token cannot be used for its namespace. */
export type NamespaceRefusal = { readonly refusal: string };

export type ChosenNamespace = AmqpNamespace | NamespaceRefusal;

/**
 * Finds the namespace that the name of a key chooses; undefined: the client has none. A promise if it has to be made first, which it is
 * only while the connection belongs to none: `bound` is the one that it belongs to.
 */
export type FindNamespace = (
  key: ShownKey | undefined,
  bound: AmqpNamespace | undefined,
) => ChosenNamespace | Promise<ChosenNamespace>;

type ConnectionBindingOptions = {
  readonly find: FindNamespace;
  /** The namespace of clients that choose none. */
  readonly fallback: AmqpNamespace;
  /** Called once. */
  readonly bound: (namespace: AmqpNamespace) => void;
  /** Ends the connection, because its namespace is closed. */
  readonly end: () => void;
};

export class ConnectionBinding {
  readonly #options: ConnectionBindingOptions;
  #namespace: AmqpNamespace | undefined;
  #choosing: Promise<ChosenNamespace> | undefined;
  #leave = () => {};
  #isOver = false;

  constructor(options: ConnectionBindingOptions) {
    this.#options = options;
  }

  /** Undefined until the client has chosen one. */
  get namespace(): AmqpNamespace | undefined {
    return this.#namespace;
  }

  /** Set while the namespace of the first key or token is made: whatever comes meanwhile waits for it, or it would bind the connection. */
  get choosing(): Promise<unknown> | undefined {
    return this.#choosing;
  }

  /** The namespace of an operation without a token. */
  take(): AmqpNamespace {
    return this.#namespace ?? this.#bind(this.#options.fallback);
  }

  /** The namespace of a token, as `choose` finds it. An Entra token and an unreadable one choose none. */
  ofToken(token: string): ChosenNamespace | Promise<ChosenNamespace> {
    return this.choose(keyOfToken(token));
  }

  /** The namespace that the name of a key chooses. The first one binds the connection; another is refused from then on. */
  choose(key: ShownKey | undefined): ChosenNamespace | Promise<ChosenNamespace> {
    if (this.#choosing !== undefined) return this.#choosing.then(() => this.choose(key));
    const found = this.#options.find(key, this.#namespace);
    if (!(found instanceof Promise)) return this.#admit(found);
    const admitted = found
      .finally(() => {
        this.#choosing = undefined;
      })
      .then((made) => this.#admit(made));
    if (this.#namespace === undefined) this.#choosing = admitted;
    return admitted;
  }

  /** The connection has ended. */
  end(): void {
    this.#isOver = true;
    this.#leave();
  }

  #admit(found: ChosenNamespace): ChosenNamespace {
    if ('refusal' in found) return found;
    const bound = this.#namespace ?? this.#bind(found);
    return bound === found ? found : wrongNamespace(found.name, bound);
  }

  #bind(namespace: AmqpNamespace): AmqpNamespace {
    this.#namespace = namespace;
    if (!this.#isOver) this.#leave = namespace.enter?.(this.#options.end) ?? (() => {});
    this.#options.bound(namespace);
    return namespace;
  }
}

/** The connection belongs to one namespace, and the token names another. */
export function wrongNamespace(name: string, bound: { readonly name: string }): NamespaceRefusal {
  const refusal =
    `WrongNamespace: The token is for the namespace '${name}', but this connection belongs to '${bound.name}', which its first ` +
    'token or link has chosen. Open another connection, with a client of its own.';
  return { refusal };
}
