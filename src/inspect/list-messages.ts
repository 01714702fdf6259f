// Reads the counts and the messages of an entity. This changes nothing, and does not count as a use of the entity.

import { parseEntityPath } from '../broker/contract/entities/entity-path.js';
import type { InspectedEntity } from '../broker/contract/inspection.js';
import { plainMessage } from '../content/shown-message.js';
import { JitneyError } from '../jitney-error.js';
import type { EmulatorCounts, MessageQuery } from './emulator-entities.js';
import type { EmulatorMessage, EmulatorMessageState } from './emulator-message.js';
import { checkKeys, seenValue } from './given-options.js';
import { ask, type LookContext, lookErrorOf } from './look-context.js';
import { type FoundMessages, type InspectMessages, readMessages } from './read-messages.js';

/** The entity of a handle, and the path of the store with its messages. */
export type Place = {
  readonly kind: InspectedEntity['kind'];
  readonly entityPath: string;
  readonly path: string;
};

export const STATES: readonly EmulatorMessageState[] = ['active', 'locked', 'scheduled', 'deferred'];

const DEAD_LETTER = /^dead[-_ ]?letter/i;

/** Rejects with a JitneyError. */
export async function countsOf(context: LookContext, { kind, entityPath }: Place): Promise<EmulatorCounts> {
  refuseDeadLetterPath(entityPath);
  const { entities } = await ask(
    context,
    { kind: 'inspect-namespace', path: entityPath },
    'inspected-entities',
  );
  const [entity] = entities;
  if (entity?.kind === kind) return entity.counts;
  const text = `'${entityPath}' is a ${entity?.kind}, not a ${kind}; look at it with emulator.${entity?.kind}().`;
  throw new JitneyError('other-entity', text);
}

/** Throws a JitneyError that names the right handle for a dead-letter queue. */
function refuseDeadLetterPath(path: string): void {
  const { name, subscriptionName, storeKind } = parseEntityPath(path);
  if (storeKind !== 'dead-letter') return;
  const handle =
    subscriptionName === undefined ? `queue('${name}')` : `subscription('${name}', '${subscriptionName}')`;
  const text = `'${path}' is a dead-letter queue; read it with emulator.${handle}.deadLetters(), or wait with .deadLetterQueue.waitFor().`;
  throw new JitneyError('other-entity', text);
}

/** Rejects with a JitneyError, or with a RangeError or TypeError for a wrong query. */
export async function listMessages(
  context: LookContext,
  place: Place,
  query?: MessageQuery,
): Promise<EmulatorMessage[]> {
  checkKeys('messages', query, ['state', 'from', 'max']);
  const { state, from = 0, max } = query ?? {};
  const conditions = statesOf(state);
  checkWhole('from', from, 0);
  if (max !== undefined) checkWhole('max', max, 1);
  await countsOf(context, place); // throws if the entity does not exist or is of another kind
  const found: EmulatorMessage[] = [];
  let next: number | undefined = from;
  while (next !== undefined && (max === undefined || found.length < max)) {
    const page: FoundMessages = await readPage(context, {
      kind: 'inspect-messages',
      entityPath: place.path,
      conditions,
      fromSequenceNumber: next,
      maxCount: (max ?? Number.POSITIVE_INFINITY) - found.length,
    });
    for (const { message, content } of page.found) found.push(plainMessage(message, content));
    next = page.next;
  }
  return found;
}

/** Returns the number of messages that were removed. Rejects with a JitneyError. */
export async function purge(context: LookContext, place: Place): Promise<number> {
  await countsOf(context, place); // throws unless the entity exists and is of this kind
  return (await ask(context, { kind: 'purge', entityPath: place.path }, 'purged')).count;
}

/** Also rejects if the engine fails, because it then answers no requester. */
async function readPage(context: LookContext, command: InspectMessages): Promise<FoundMessages> {
  const { engine, waits } = context;
  let release = () => {};
  try {
    return await new Promise((resolve, reject) => {
      release = waits.add(reject);
      readMessages(engine, command).then(resolve, reject);
    });
  } catch (error) {
    throw await lookErrorOf(error, context);
  } finally {
    release();
  }
}

export function statesOf(given: MessageQuery['state']): readonly EmulatorMessageState[] {
  if (given === undefined) return STATES;
  const states = typeof given === 'string' ? [given] : given;
  const wrong = states.find((state) => !STATES.includes(state));
  if (wrong === undefined) return states;
  if (DEAD_LETTER.test(String(wrong))) {
    throw new RangeError(
      `'${wrong}' is not a state but a queue of its own; read it with deadLetters(), or wait with deadLetterQueue.waitFor().`,
    );
  }
  throw new RangeError(`The state '${wrong}' does not exist; give one or more of ${STATES.join(', ')}.`);
}

export function checkWhole(what: string, value: number, least: number): void {
  if (Number.isSafeInteger(value) && value >= least) return;
  throw new RangeError(`${what} is ${seenValue(value)}; it must be a whole number of ${least} or more.`);
}
