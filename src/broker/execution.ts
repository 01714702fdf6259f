// What is done with each sort of command: alone, as a step, or in a transaction.

import type { BrokerParts } from './broker-parts.js';
import type { Command } from './command.js';
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
