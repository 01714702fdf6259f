// Makes up transactions: mostly about one entity and what can be done there, discharged either way or left open.

import type { Command, SingleCommand } from '../../src/broker/command.js';
import { CONNECTION_IDS, type EnlistedKind, type Picks } from './picks.js';
import { drawHabits, type Random, type Weighted } from './random.js';
import type { KnownTransaction, WorkloadMemory } from './workload-memory.js';

export const TRANSACTION_KINDS = ['declare-transaction', 'enlist', 'discharge'] as const;
export type TransactionKind = (typeof TRANSACTION_KINDS)[number];

const ENLISTED: Weighted<EnlistedKind> = [
  ['send', 4],
  ['settle', 5],
  ['settle-many', 1.5],
  ['cancel-scheduled', 2],
  ['set-session-state', 1.2],
  ['renew-lock', 0.4],
  ['renew-session-lock', 0.3],
  ['peek', 0.4],
  ['get-session-state', 0.3],
  ['list-sessions', 0.2],
  ['receive-deferred', 0.4],
];
type Named = Pick<KnownTransaction, 'connectionId' | 'entityPath'> & { readonly transactionId: number };

const MOST_OPEN = 4;
/** More are refused by most queues. */
const LARGE_BYTES = 1000;

export class TransactionCommands {
  readonly #random: Random;
  readonly #memory: WorkloadMemory;
  readonly #picks: Picks;
  readonly #kinds: Weighted<EnlistedKind>;
  readonly #rollBackChance: number;

  constructor(random: Random, memory: WorkloadMemory, picks: Picks) {
    this.#random = random;
    this.#memory = memory;
    this.#picks = picks;
    this.#kinds = drawHabits(random, ENLISTED);
    this.#rollBackChance = random.pick([0.1, 0.2, 0.6]);
  }

  /** `make` makes a command of such a kind. */
  next(kind: TransactionKind, make: (kind: EnlistedKind) => Command): Command {
    const { openTransactions } = this.#memory;
    const canDeclare = kind === 'declare-transaction' && openTransactions.length < MOST_OPEN;
    if (canDeclare || (openTransactions.length === 0 && this.#random.chance(0.95))) {
      return { kind: 'declare-transaction', connectionId: this.#random.pick(CONNECTION_IDS) };
    }
    const isDischarge = kind === 'discharge' && (this.#hasOperations() || this.#random.chance(0.2));
    const { entityPath, ...named } = this.#transaction({ isDischarge });
    if (isDischarge) {
      return { kind: 'discharge', ...named, isFailed: this.#random.chance(this.#rollBackChance) };
    }
    const focus = this.#random.chance(0.95) ? entityPath : undefined;
    const command = this.#picks.near(focus, () => this.#fitting(make));
    if (!isEnlisted(command)) throw new Error('a command was made that is not to be enlisted');
    if (command.kind === 'send' && this.#random.chance(0.3)) {
      return { kind: 'enlist', ...named, command: { ...command, reservesNumbers: true } };
    }
    const isSettled = command.kind === 'settle' || command.kind === 'settle-many';
    return { kind: 'enlist', ...named, command, isForgotten: isSettled && this.#random.chance(0.2) };
  }

  /** Mostly a send that is not too large. */
  #fitting(make: (kind: EnlistedKind) => Command): Command {
    const kind = this.#picks.possible(this.#random.pickWeighted(this.#kinds));
    let command = make(kind);
    for (let tries = 0; tries < 3 && isLarge(command) && this.#random.chance(0.9); tries++) {
      command = make(kind);
    }
    return command;
  }

  #hasOperations(): boolean {
    return this.#memory.openTransactions.some(({ entityPath }) => entityPath !== undefined);
  }

  /** Now and then it is over, another connection's, or was never declared. */
  #transaction({ isDischarge }: { readonly isDischarge: boolean }): Named {
    const { openTransactions, endedTransactions } = this.#memory;
    const isEnded = endedTransactions.length > 0 && this.#random.chance(0.06);
    const known = isEnded ? endedTransactions : openTransactions;
    if (known.length === 0 || this.#random.chance(0.01)) {
      return { transactionId: 1_000_000, connectionId: 1, entityPath: undefined };
    }
    const useful = known.filter((one) => (isDischarge ? one.entityPath !== undefined : !one.isDoomed));
    const isUseful = useful.length > 0 && this.#random.chance(0.9);
    const { id, connectionId, entityPath } = this.#random.pick(isUseful ? useful.slice(-2) : known);
    const isForeign = this.#random.chance(0.03);
    return {
      transactionId: id,
      connectionId: isForeign ? this.#random.pick(CONNECTION_IDS) : connectionId,
      entityPath,
    };
  }
}

function isLarge(command: Command): boolean {
  if (command.kind !== 'send') return false;
  return command.messages.reduce((sum, { content }) => sum + content.length, 0) > LARGE_BYTES;
}

function isEnlisted(command: Command): command is SingleCommand {
  return ENLISTED.some(([kind]) => kind === command.kind);
}
