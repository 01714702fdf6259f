// The calls of the control interface that list, add and remove faults.

import type { Command } from '../../broker/contract/command.js';
import type { AddedFault, EmulatorFaults } from '../../steer/emulator-faults.js';
import { type Fault, FaultError } from '../../steer/fault.js';
import { noteOnMissing } from '../../steer/missing-entity.js';
import { RequestProblem } from '../error-response.js';
import type { RoutedCall } from '../http-context.js';
import {
  emptyBody,
  faultBody,
  noQuery,
  presetBody,
  readBodyOf,
  readSearch,
  removeFaultBody,
} from './control-requests.js';
import type { AddedFaultAnswer, ClearedAnswer, EndedAnswer, FaultsAnswer } from './control-schemas.js';
import { similarEntity } from './similar-entity.js';

const MAX_BODY_BYTES = 16 * 1024;

export const FAULT_CALLS = {
  listFaults(call: RoutedCall): FaultsAnswer {
    readSearch(call, noQuery);
    return { faults: faultsOf(call).list().map(faultAnswer) };
  },

  async addFault(call: RoutedCall): Promise<AddedFaultAnswer> {
    readSearch(call, noQuery);
    const given = await readBodyOf(call, faultBody, MAX_BODY_BYTES);
    // The schema only describes a fault: `EmulatorFaults` checks it, and says what is wrong.
    return addedAnswer(
      refusing(() => faultsOf(call).add(given as Fault)),
      call,
    );
  },

  async addFaultPreset(call: RoutedCall): Promise<FaultsAnswer> {
    readSearch(call, noQuery);
    const { name, ...options } = await readBodyOf(call, presetBody, MAX_BODY_BYTES);
    const added = refusing(() => faultsOf(call).addPreset(name, options));
    return { faults: await Promise.all(added.map((each) => addedAnswer(each, call))) };
  },

  async removeFault(call: RoutedCall): Promise<EndedAnswer> {
    readSearch(call, noQuery);
    const { id } = await readBodyOf(call, removeFaultBody, MAX_BODY_BYTES);
    return { ended: faultsOf(call).remove(id) };
  },

  async clearFaults(call: RoutedCall): Promise<ClearedAnswer> {
    readSearch(call, noQuery);
    await readBodyOf(call, emptyBody, MAX_BODY_BYTES);
    return { count: faultsOf(call).clear() };
  },
} as const;

function faultsOf({ context }: RoutedCall): EmulatorFaults {
  const faults = context.control?.faults;
  if (faults === undefined) throw new RequestProblem(404, 'This emulator has no faults.');
  return faults;
}

function refusing<Result>(add: () => Result): Result {
  try {
    return add();
  } catch (error) {
    if (error instanceof FaultError) throw new RequestProblem(400, error.message);
    throw error;
  }
}

/** Replaces the `note`, which could name an entity that this client may not see. */
async function addedAnswer(added: AddedFault, call: RoutedCall): Promise<AddedFaultAnswer> {
  const { entity } = added.fault;
  const look = {
    ask: (command: Command) => call.context.engine.ask(command),
    similarTo: (path: string) => similarEntity(path, call),
  };
  const note = entity === undefined ? undefined : await noteOnMissing(entity, look);
  return { ...faultAnswer(added), ...(note && { note }) };
}

function faultAnswer({ id, fault, matchedCount, firedCount, isActive }: AddedFault): AddedFaultAnswer {
  return { id, fault: { ...fault }, matchedCount, firedCount, isActive };
}
