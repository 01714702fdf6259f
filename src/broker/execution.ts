// Chooses how a command is executed: alone, as a step, or by a transaction.

import type { Command } from './contract/command.js';
import type { Result } from './contract/result.js';
import { ServiceBusError } from './contract/service-bus-error.js';
import { executeOne, executeStep } from './execution/step.js';
import { infoAfter } from './namespace/put-entity.js';
import { useEntity } from './namespace/used-entities.js';
import { reset } from './reset.js';
import { restoreSnapshot } from './restore-snapshot.js';
import { discharge } from './transactions/discharge.js';
import { enlist } from './transactions/enlist.js';
import type { BrokerParts } from './turn/broker-parts.js';
import type { TurnInProgress } from './turn/turn-in-progress.js';

const DONE: Result = { kind: 'done' };

/** Returns a `failed` result for a client's mistake. */
export function execute(command: Command, parts: BrokerParts, turn: TurnInProgress): Result {
  try {
    switch (command.kind) {
      case 'tick':
        return DONE;
      case 'declare-transaction':
        return declare(command.connectionId, parts, turn);
      case 'enlist':
        return enlist(command, parts, turn);
      case 'discharge':
        return discharge(command, parts, turn);
      case 'use-entity':
        useEntity(command.entity, parts, turn);
        return execute(command.command, parts, turn);
      case 'reset':
        return reset(parts, turn);
      case 'restore-snapshot':
        return restoreSnapshot(command, parts, turn);
      case 'step':
        return executeStep(command.commands, parts, turn);
      default:
        return executeOne(command, parts, turn);
    }
  } catch (error) {
    if (error instanceof ServiceBusError) return failed(command, error, turn);
    throw error;
  }
}

function declare(connectionId: number, parts: BrokerParts, turn: TurnInProgress): Result {
  const transactionId = parts.transactions.declare(connectionId, parts);
  turn.activities?.push({ kind: 'transaction-declared', transactionId });
  return { kind: 'declared', transactionId };
}

/**
 * No is an answer to these like yes: HTTP asks them to tell paths apart, and tests look for what is not there yet. A client that is refused
 * has a record of its own.
 */
const QUESTIONS: ReadonlySet<Command['kind']> = new Set<Command['kind']>([
  'find-entity',
  'find-subscriber',
  'get-entity',
  'inspect-namespace',
  'inspect-messages',
  'inspect-locks',
  'inspect-sessions',
]);

function failed(command: Command, error: ServiceBusError, turn: TurnInProgress): Result {
  if (QUESTIONS.has(command.kind)) return { kind: 'failed', error };
  turn.activities?.push({
    kind: 'refused',
    command: command.kind,
    path: error.entityPath,
    reason: error.reason,
    text: error.message,
  });
  return { kind: 'failed', error };
}

/** Answers a put with the entity at the end of the turn: its messages may have been forwarded meanwhile. */
export function resultAfterTurn(command: Command, answer: Result, parts: BrokerParts): Result {
  switch (command.kind) {
    case 'put-entity':
      return answer.kind === 'failed' ? answer : infoAfter(command, parts);
    case 'step': {
      if (answer.kind !== 'step') return answer;
      const results = answer.results.map((result, index) => {
        const commandOfStep = command.commands[index];
        return commandOfStep === undefined ? result : resultAfterTurn(commandOfStep, result, parts);
      });
      return { kind: 'step', results };
    }
    default:
      return answer;
  }
}
