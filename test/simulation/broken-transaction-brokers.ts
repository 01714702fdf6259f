// Brokers that break one rule of transactions each.

import { Broker, type BrokerOptions, type Turn } from '../../src/broker/broker.js';
import type { Command } from '../../src/broker/command.js';
import type { Instant } from '../../src/broker/instant.js';
import type { Result } from '../../src/broker/result.js';
import type { MakeBroker } from './checked-broker.js';
import { type Remembering, rememberingBrokers } from './remembering-brokers.js';

const TIMEOUT_MS = 2 * 60_000; // TXN-08

type Discharge = Extract<Command, { kind: 'discharge' }>;

const FLAWS: Readonly<Record<string, Remembering>> = {
  'commits operations one by one until one is refused': (execute) => {
    const held = heldCommands();
    return (command, now) => {
      const isCommit = command.kind === 'discharge' && !command.isFailed;
      if (!isCommit) return held.noting(command, execute(command, now));
      const first = execute({ ...command, isFailed: true }, now);
      const turns = [first];
      for (const one of first.result.kind === 'done' ? held.of(command) : []) {
        const turn = execute(one, now);
        turns.push(turn);
        if (turn.result.kind === 'failed') break;
      }
      return merged(turns, first.result);
    };
  },
  'commits what is left when one operation was refused': (execute) => {
    const held = heldCommands();
    return (command, now) => {
      const turn = execute(command, now);
      if (!isRolledBack(command, turn)) return held.noting(command, turn);
      const done = held.of(command).map((one) => execute(one, now));
      return merged([turn, ...done], { kind: 'done' });
    };
  },
  'says that it has committed and has not': (execute) => (command, now) =>
    execute(command.kind === 'discharge' ? { ...command, isFailed: true } : command, now),
  'commits what is to be rolled back': (execute) => (command, now) =>
    execute(command.kind === 'discharge' ? { ...command, isFailed: false } : command, now),
  'shows what a transaction sends before it is committed': (execute) => (command, now) => {
    const isSend = command.kind === 'enlist' && command.command.kind === 'send';
    const turn = execute(command, now);
    if (!isSend || turn.result.kind !== 'enlisted') return turn;
    return merged([turn, execute(command.command, now)], turn.result);
  },
  'lets a lock run out while it is enlisted': (execute) => {
    const lockedUntil = new Map<string, Instant>();
    const pinned = new Map<string, Discharge>();
    return (command, now) => {
      const turns: Turn[] = [];
      for (const [token, discharge] of pinned) {
        if ((lockedUntil.get(token) ?? now + 1) > now) continue;
        pinned.delete(token);
        turns.push(execute(discharge, now)); // it is given back as if it had run out
      }
      const turn = execute(command, now);
      for (const effect of turn.effects) {
        if (effect.kind !== 'deliver' || effect.delivery.lockToken === undefined) continue;
        lockedUntil.set(effect.delivery.lockToken, effect.delivery.lockedUntil ?? 0);
      }
      if (command.kind === 'enlist' && turn.result.kind === 'enlisted' && command.command.kind === 'settle') {
        const { transactionId, connectionId } = command;
        const discharge = { kind: 'discharge', transactionId, connectionId, isFailed: true } as const;
        pinned.set(command.command.lockToken, discharge);
      }
      return merged([...turns, turn], turn.result);
    };
  },
  'leaves pinned what was rolled back': (execute) => {
    const held = heldCommands();
    return (command, now) => {
      const isRollBack = command.kind === 'discharge' && command.isFailed && held.of(command).length > 0;
      return held.noting(command, execute(isRollBack ? { kind: 'tick' } : command, now));
    };
  },
  'lets anybody discharge a transaction': (execute) => {
    const owners = new Map<number, number>();
    return (command, now) => {
      const isAbout = command.kind === 'enlist' || command.kind === 'discharge';
      const connectionId = isAbout ? owners.get(command.transactionId) : undefined;
      const turn = execute(
        isAbout && connectionId !== undefined ? { ...command, connectionId } : command,
        now,
      );
      if (command.kind === 'declare-transaction' && turn.result.kind === 'declared') {
        owners.set(turn.result.transactionId, command.connectionId);
      }
      return turn;
    };
  },
  'keeps a transaction for longer than its time': (execute) => {
    const begun = new Map<number, Instant>();
    const held = heldCommands();
    return (command, now) => {
      const turn = execute(command, now);
      if (command.kind === 'enlist' && turn.result.kind !== 'failed') {
        begun.set(command.transactionId, begun.get(command.transactionId) ?? now);
      }
      const isLate =
        command.kind === 'discharge' && (begun.get(command.transactionId) ?? now) + TIMEOUT_MS <= now;
      if (!isLate || command.isFailed || turn.result.kind !== 'failed') return held.noting(command, turn);
      const done = held.of(command).map((one) => execute(one, now));
      return merged([turn, ...done], { kind: 'done' });
    };
  },
};

export const BROKEN_TRANSACTION_BROKERS: readonly (readonly [flaw: string, makeBroker: MakeBroker])[] = [
  ...rememberingBrokers(FLAWS),
  ['takes operations on any entity', limited({ hasOneEntityTransactions: false })],
  ['takes any number of messages in a transaction', limited({ maxTransactionMessages: 1_000_000 })],
];

/** What each transaction holds. */
function heldCommands() {
  const held = new Map<number, Command[]>();
  return {
    noting(command: Command, turn: Turn): Turn {
      const { result } = turn;
      if (command.kind !== 'enlist' || (result.kind !== 'enlisted' && result.kind !== 'sent')) return turn;
      const all = held.get(command.transactionId) ?? [];
      const isSent = command.command.kind === 'send' && result.kind === 'sent';
      const numbers = isSent ? { numbers: result.sequenceNumbers } : {};
      held.set(command.transactionId, [...all, { ...command.command, ...numbers }]);
      return turn;
    },
    of: ({ transactionId }: Discharge) => held.get(transactionId) ?? [],
  };
}

function isRolledBack(command: Command, { result }: Turn): command is Discharge {
  const isCommit = command.kind === 'discharge' && !command.isFailed;
  return isCommit && result.kind === 'failed' && result.error.reason === 'transaction-rolled-back';
}

/** Several turns as one. */
function merged(turns: readonly Turn[], result: Result): Turn {
  return {
    result,
    events: turns.flatMap(({ events }) => events),
    effects: turns.flatMap(({ effects }) => effects),
  };
}

function limited(limits: Partial<BrokerOptions['limits']>): MakeBroker {
  return (options) => new Broker({ ...options, limits: { ...options.limits, ...limits } });
}
