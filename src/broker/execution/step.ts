// Runs the handler of one command, or of several as one step.

import { assert } from '../contract/assert.js';
import type { SingleCommand, StepCommand } from '../contract/command.js';
import type { Result } from '../contract/result.js';
import type { MessageStore } from '../store/queue.js';
import type { BrokerParts } from '../turn/broker-parts.js';
import { ClaimSet } from '../turn/claims.js';
import { ChangingRefusal } from '../turn/handler.js';
import type { TurnInProgress } from '../turn/turn-in-progress.js';
import { handlerOf } from './handlers.js';

/** Checks a command and applies it. Throws ServiceBusError. */
export function executeOne(command: SingleCommand, parts: BrokerParts, turn: TurnInProgress): Result {
  const handler = handlerOf(command);
  if (handler.works === 'in-namespace') {
    return handler.apply(handler.check(command, parts, turn.now), command, parts, turn);
  }
  const store = storeOf(command, parts);
  store.queue.used(turn.now); // even if refused (IDL-03, CNT-03)
  const change = handler.check(store, command, parts, turn.now);
  if (!(change instanceof ChangingRefusal)) return handler.apply(store, change, command, parts, turn);
  change.apply(turn);
  return { kind: 'failed', error: change.error };
}

/** They are refused while copies wait, but within a step nothing may be refused once a command was applied. */
const CHANGES_RULES: ReadonlySet<StepCommand['kind']> = new Set<StepCommand['kind']>([
  'add-rule',
  'update-rule',
  'set-rules',
  'remove-rule',
  'put-entity',
]);

/** Checks all commands, each against the claims of those before it, and then applies all. Throws ServiceBusError. */
export function executeStep(
  commands: readonly StepCommand[],
  parts: BrokerParts,
  turn: TurnInProgress,
): Result {
  // The rules at the acceptance hold for all copies. No client sends such a step.
  if (commands.some(({ kind }) => CHANGES_RULES.has(kind))) turn.fanOutWhole();
  const claims = new ClaimSet();
  const changes = commands.map((command) => check(command, claims, parts, turn));
  return {
    kind: 'step',
    results: commands.map((command, index) => apply(command, changes[index], parts, turn)),
  };
}

type CheckedChange = { readonly store: MessageStore | undefined; readonly change: unknown };

/** Checks a command and adds the objects it will change to the claims. Throws ServiceBusError. */
export function check(
  command: StepCommand,
  claims: ClaimSet,
  parts: BrokerParts,
  turn: TurnInProgress,
): CheckedChange {
  parts.claims.open(claims);
  try {
    return checkOne(command, parts, turn);
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

function apply(
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

function storeOf(command: SingleCommand, { namespace }: BrokerParts): MessageStore {
  const { entityPath } = command as Extract<SingleCommand, { readonly entityPath: string }>;
  return namespace.store(entityPath);
}
