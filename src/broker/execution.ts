// What is done with each sort of command: alone, as a step, or in a transaction.

import type { BrokerParts } from './broker-parts.js';
import type { Command } from './command.js';
import { infoAfter } from './entity/put-entity.js';
import type { Result } from './result.js';
import { ServiceBusError } from './service-bus-error.js';
import { carryOutOne, carryOutStep } from './step.js';
import { discharge } from './transactions/discharge.js';
import { enlist } from './transactions/enlist.js';
import type { TurnInProgress } from './turn-in-progress.js';

const DONE: Result = { kind: 'done' };

/** A client's mistake is a `failed` result. */
export function carryOut(command: Command, parts: BrokerParts, turn: TurnInProgress): Result {
  try {
    switch (command.kind) {
      case 'tick':
        return DONE;
      case 'declare-transaction':
        return { kind: 'declared', transactionId: parts.transactions.declare(command.connectionId, parts) };
      case 'enlist':
        return enlist(command, parts, turn);
      case 'discharge':
        return discharge(command, parts, turn);
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

/** A put is answered with the entity as the turn leaves it: its messages may have gone on to where it now forwards them. */
export function asLeft(command: Command, answer: Result, parts: BrokerParts): Result {
  switch (command.kind) {
    case 'put-queue':
    case 'put-topic':
    case 'put-subscription':
      return answer.kind === 'failed' ? answer : infoAfter(command, parts);
    case 'step': {
      if (answer.kind !== 'step') return answer;
      const results = answer.results.map((result, index) => {
        const asked = command.commands[index];
        return asked === undefined ? result : asLeft(asked, result, parts);
      });
      return { kind: 'step', results };
    }
    default:
      return answer;
  }
}
