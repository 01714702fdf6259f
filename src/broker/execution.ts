// Carries out one command, or several as one step.

import { assert } from './assert.js';
import type { BrokerParts } from './broker-parts.js';
import type { Command, StepCommand } from './command.js';
import type { MessageStore } from './entity/message-store.js';
import { ChangingRefusal } from './handler.js';
import { handlerOf } from './handlers.js';
import type { Result } from './result.js';
import { ServiceBusError } from './service-bus-error.js';
import type { TurnInProgress } from './turn-in-progress.js';

const DONE: Result = { kind: 'done' };

/** A client's mistake is a `failed` result. */
export function carryOut(command: Command, parts: BrokerParts, turn: TurnInProgress): Result {
  try {
    switch (command.kind) {
      case 'tick':
        return DONE;
      case 'declare-transaction':
      case 'enlist':
      case 'discharge':
        throw new ServiceBusError('not-implemented', 'Transactions are not there yet.');
      case 'step':
        return carryOutStep(command.commands, parts, turn);
      default:
        return carryOutOne(command, parts, turn);
    }
  } catch (error) {
    if (error instanceof ServiceBusError) return { kind: 'failed', error };
    throw error;
  }
}

function carryOutOne(command: StepCommand, parts: BrokerParts, turn: TurnInProgress): Result {
  const handler = handlerOf(command);
  if (handler.works === 'in-namespace') {
    return handler.apply(handler.check(command, parts, turn.now), command, parts, turn);
  }
  const store = storeOf(command, parts);
  store.queue.used(turn.now); // refused or not (IDL-03, CNT-03)
  const change = handler.check(store, command, parts, turn.now);
  if (!(change instanceof ChangingRefusal)) return handler.apply(store, change, command, parts, turn);
  change.apply(turn);
  return { kind: 'failed', error: change.error };
}

/** All are checked, each with an eye on what those before it claim; then all are applied. */
function carryOutStep(commands: readonly StepCommand[], parts: BrokerParts, turn: TurnInProgress): Result {
  const changes = checkAll(commands, parts, turn);
  return {
    kind: 'step',
    results: commands.map((command, index) => applyOne(command, changes[index], parts, turn)),
  };
}

type CheckedChange = { readonly store: MessageStore | undefined; readonly change: unknown };

function checkAll(
  commands: readonly StepCommand[],
  parts: BrokerParts,
  turn: TurnInProgress,
): readonly CheckedChange[] {
  parts.claims.open();
  try {
    return commands.map((command) => checkOne(command, parts, turn));
  } finally {
    parts.claims.close();
  }
}

function checkOne(command: StepCommand, parts: BrokerParts, turn: TurnInProgress): CheckedChange {
  const handler = handlerOf(command);
  if (handler.works === 'in-namespace') {
    return { store: undefined, change: handler.check(command, parts, turn.now) };
  }
  const store = storeOf(command, parts);
  const change = handler.check(store, command, parts, turn.now);
  if (change instanceof ChangingRefusal) throw change.error;
  return { store, change };
}

function applyOne(
  command: StepCommand,
  checked: CheckedChange | undefined,
  parts: BrokerParts,
  turn: TurnInProgress,
): Result {
  assert(checked !== undefined, 'a command of a step was not checked');
  const handler = handlerOf(command);
  const { store, change } = checked;
  if (handler.works === 'in-namespace') return handler.apply(change, command, parts, turn);
  assert(store !== undefined, 'a command of a step has lost its store');
  store.queue.used(turn.now); // IDL-03, CNT-03
  return handler.apply(store, change, command, parts, turn);
}

function storeOf(command: StepCommand, { namespace }: BrokerParts): MessageStore {
  assert('entityPath' in command, 'a command without a path was to work in a store');
  return namespace.store(command.entityPath);
}
