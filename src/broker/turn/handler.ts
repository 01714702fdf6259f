// The shape of a command handler: `check` changes nothing, and `apply` refuses nothing. So several commands can be one step:
// all of them are checked before the first is applied.

import type { Command } from '../contract/command.js';
import type { Instant } from '../contract/instant.js';
import type { Result } from '../contract/result.js';
import type { ServiceBusError } from '../contract/service-bus-error.js';
import type { MessageStore } from '../store/queue.js';
import type { BrokerParts } from './broker-parts.js';
import type { TurnInProgress } from './turn-in-progress.js';

/** The type of the commands of a kind. */
export type CommandOf<Kind extends Command['kind']> = Extract<Command, { readonly kind: Kind }>;

/** A refusal that still changes something, unless the command is part of a step: a refused step changes nothing. */
export class ChangingRefusal {
  readonly error: ServiceBusError;
  readonly apply: (turn: TurnInProgress) => void;

  constructor(error: ServiceBusError, apply: (turn: TurnInProgress) => void) {
    this.error = error;
    this.apply = apply;
  }
}

/** Carries out a command in the store at its path. Even a refused command counts as access to the store (IDL-03, CNT-03). */
type StoreHandler<C, Change> = {
  readonly works: 'in-store';
  /** Throws ServiceBusError. Changes nothing, takes no sequence number, and claims the objects that `apply` will change. */
  check(store: MessageStore, command: C, parts: BrokerParts, now: Instant): Change | ChangingRefusal;
  /** `change` is the value that `check` returned. */
  apply(store: MessageStore, change: Change, command: C, parts: BrokerParts, turn: TurnInProgress): Result;
};

/** Carries out a command on entities or links. */
export type NamespaceHandler<C, Change> = {
  readonly works: 'in-namespace';
  check(command: C, parts: BrokerParts, now: Instant): Change;
  apply(change: Change, command: C, parts: BrokerParts, turn: TurnInProgress): Result;
};

/** The change is opaque: only the handler's own `apply` reads it. */
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
