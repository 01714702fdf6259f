// How a command is carried out: it is checked, which changes nothing, and then applied, which refuses nothing. So several
// commands can be one step: all of them are checked before the first is applied.

import type { BrokerParts } from './broker-parts.js';
import type { Command } from './command.js';
import type { MessageStore } from './entity/message-store.js';
import type { Instant } from './instant.js';
import type { Result } from './result.js';
import type { ServiceBusError } from './service-bus-error.js';
import type { TurnInProgress } from './turn-in-progress.js';

/** The commands of these kinds. */
export type CommandOf<Kind extends Command['kind']> = Extract<Command, { readonly kind: Kind }>;

/** A refusal that changes something all the same. A step that is refused changes nothing, this included. */
export class ChangingRefusal {
  readonly error: ServiceBusError;
  readonly apply: (turn: TurnInProgress) => void;

  constructor(error: ServiceBusError, apply: (turn: TurnInProgress) => void) {
    this.error = error;
    this.apply = apply;
  }
}

/** Carries out a command in the store at its path. To be asked is a use of it, whatever the answer (IDL-03, CNT-03). */
export type StoreHandler<C, Change> = {
  readonly works: 'in-store';
  /** Throws ServiceBusError. Changes nothing, takes no number, and claims what `apply` is going to change. */
  check(store: MessageStore, command: C, parts: BrokerParts, now: Instant): Change | ChangingRefusal;
  /** `change` is what `check` gave back. */
  apply(store: MessageStore, change: Change, command: C, parts: BrokerParts, turn: TurnInProgress): Result;
};

/** Carries out a command on entities by name, or on a link. */
export type NamespaceHandler<C, Change> = {
  readonly works: 'in-namespace';
  check(command: C, parts: BrokerParts, now: Instant): Change;
  apply(change: Change, command: C, parts: BrokerParts, turn: TurnInProgress): Result;
};

/** A handler's change is for its own `apply` alone to look into. */
export type Handler<C> = StoreHandler<C, unknown> | NamespaceHandler<C, unknown>;

export function inStore<C extends Command, Change>(
  check: StoreHandler<C, Change>['check'],
  apply: StoreHandler<C, Change>['apply'],
): StoreHandler<C, Change> {
  return { works: 'in-store', check, apply };
}

export function inNamespace<C extends Command, Change>(
  check: NamespaceHandler<C, Change>['check'],
  apply: NamespaceHandler<C, Change>['apply'],
): NamespaceHandler<C, Change> {
  return { works: 'in-namespace', check, apply };
}
