// The calls that change the contents of an entity by hand: selected messages, and the locks of messages and sessions.

import { z } from 'zod';
import type { MessageAction, MessageSelection } from '../../broker/contract/management.js';
import { ServiceBusError } from '../../broker/contract/service-bus-error.js';
import { expectResult, type RoutedCall } from '../http-context.js';
import { askAs } from './ask-as.js';
import { managesNamespace, requireManage } from './control-access.js';
import {
  deadLetterBody,
  emptyBody,
  endLocksBody,
  endSessionBody,
  entityQuery,
  moveBody,
  noQuery,
  purgeBody,
  readBodyOf,
  readSearch,
  resetBody,
  type Selection,
  selectionBody,
} from './control-requests.js';
import type { EndedAnswer, ManagedAnswer, PurgedAnswer } from './control-schemas.js';

/** The most messages that an answer lists. */
const MAX_NAMED = 250;
/** As the broker does. */
const EXAMINED_IN_A_TURN = 1000;

export const MANAGEMENT_CALLS = {
  async deleteMessages(call: RoutedCall): Promise<ManagedAnswer> {
    const selection = await readBodyOf(call, selectionBody);
    return manage(call, { kind: 'delete' }, selection);
  },

  async deadLetterMessages(call: RoutedCall): Promise<ManagedAnswer> {
    const { reason, description, ...selection } = await readBodyOf(call, deadLetterBody);
    return manage(call, { kind: 'dead-letter', reason, description }, selection);
  },

  /** Sends dead letters back. Several entities may forward theirs into one, so only a client that may manage the namespace can send them to others. */
  async resubmitMessages(call: RoutedCall): Promise<ManagedAnswer> {
    const selection = await readBodyOf(call, selectionBody);
    const staysInEntity = !(await managesNamespace(call));
    return manage(call, { kind: 'resubmit', staysInEntity }, selection);
  },

  /** Needs the right to manage both entities. */
  async moveMessages(call: RoutedCall): Promise<ManagedAnswer | Response> {
    const { to: destination, ...selection } = await readBodyOf(call, moveBody);
    const refusal = await requireManage(destination, call);
    return refusal ?? manage(call, { kind: 'move', destination }, selection);
  },

  async purgeMessages(call: RoutedCall): Promise<PurgedAnswer> {
    const { entity: entityPath } = readSearch(call, entityQuery);
    await readBodyOf(call, purgeBody);
    const { count } = expectResult(await askAs(call, { kind: 'purge', entityPath }), 'purged');
    return { count };
  },

  async reset(call: RoutedCall): Promise<PurgedAnswer> {
    readSearch(call, noQuery);
    const { all = false } = await readBodyOf(call, resetBody);
    const { count } = expectResult(await askAs(call, { kind: 'reset' }), 'purged');
    if (all) await call.context.control?.resetEntities?.();
    return { count };
  },

  /** Answers before it begins to stop. */
  async stop(call: RoutedCall): Promise<EndedAnswer> {
    readSearch(call, noQuery);
    await readBodyOf(call, emptyBody);
    const stop = call.context.control?.stop;
    if (stop !== undefined) setImmediate(stop);
    return { ended: stop !== undefined };
  },

  async activateMessages(call: RoutedCall): Promise<ManagedAnswer> {
    const selection = await readBodyOf(call, selectionBody);
    return manage(call, { kind: 'activate' }, selection);
  },

  async endLocks(call: RoutedCall): Promise<ManagedAnswer> {
    const selection = await readBodyOf(call, endLocksBody);
    return manage(call, { kind: 'end-lock' }, selection);
  },

  async endSession(call: RoutedCall): Promise<EndedAnswer> {
    const { entity: entityPath } = readSearch(call, entityQuery);
    const { sessionId } = await readBodyOf(call, endSessionBody);
    const result = await askAs(call, { kind: 'end-session', entityPath, sessionId });
    return { ended: expectResult(result, 'session-ended').wasHeld };
  },
} as const;

/** Works in turns, so that other clients have theirs in between. Stops early if the client has gone. */
async function manage(call: RoutedCall, action: MessageAction, given: Selection): Promise<ManagedAnswer> {
  const { entity: entityPath } = readSearch(call, entityQuery);
  const sequenceNumbers: number[] = [];
  const newSequenceNumbers: number[] = [];
  const skipped: ManagedAnswer['skipped'] = [];
  let count = 0;
  let skippedCount = 0;
  const now = (call.context.now ?? Date.now)();
  const isDryRun = given.dryRun === true;
  const isWhole = given.max === undefined || given.sequenceNumbers !== undefined;
  const mostTurns = isWhole ? Number.POSITIVE_INFINITY : Math.ceil((given.max ?? 1) / EXAMINED_IN_A_TURN);
  let rest: MessageSelection | undefined = selectionOf(given, now);
  // Up to 250 numbers are always worked on to the end.
  for (let turns = 0; rest !== undefined && turns < mostTurns; turns++) {
    const command = { kind: 'manage-messages', entityPath, action, selection: rest, isDryRun } as const;
    const result = await askAs(call, command);
    if (result.kind === 'failed' && count > 0) throw partial(result.error, count);
    const managed = expectResult(result, 'managed-messages');
    count += managed.sequenceNumbers.length;
    skippedCount += managed.skipped.length;
    sequenceNumbers.push(...managed.sequenceNumbers.slice(0, MAX_NAMED - sequenceNumbers.length));
    const renumbered = managed.newSequenceNumbers ?? [];
    newSequenceNumbers.push(...renumbered.slice(0, MAX_NAMED - newSequenceNumbers.length));
    for (const { sequenceNumber, code, text } of managed.skipped.slice(0, MAX_NAMED - skipped.length)) {
      skipped.push({ sequenceNumber, code, message: text });
    }
    rest = call.request.signal.aborted ? undefined : managed.rest;
    // A journal in memory answers within the same turn of the event loop, so that no socket would be read in between.
    if (rest !== undefined) await new Promise((resolve) => setImmediate(resolve));
  }
  const renumbered = newSequenceNumbers.length > 0 ? { newSequenceNumbers } : {};
  const next = rest === undefined ? {} : { next: textOfRest(rest) };
  return { count, sequenceNumbers, ...renumbered, skippedCount, skipped, ...next };
}

/** Where a selection goes on: the number, the numbers of later messages, and the time before which messages were enqueued. */
const REST = z.tuple([z.int().nonnegative(), z.array(z.int().nonnegative()).max(100), z.number().nullable()]);

function textOfRest(rest: MessageSelection): string | undefined {
  if (rest.kind !== 'matching') return undefined;
  const { fromSequenceNumber, before = [], enqueuedBefore = null } = rest;
  const parts: z.infer<typeof REST> = [fromSequenceNumber, [...before], enqueuedBefore];
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

function readRest(next: string) {
  const text = Buffer.from(next, 'base64url').toString();
  const parts = REST.safeParse(parsed(text));
  if (parts.success) {
    const [fromSequenceNumber, before, enqueuedBefore] = parts.data;
    return { fromSequenceNumber, before, enqueuedBefore: enqueuedBefore ?? undefined };
  }
  const words = "'next' must be a text that an earlier answer to the same call gave.";
  throw new ServiceBusError('argument', words, { property: 'next', value: next });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function selectionOf(
  { sequenceNumbers, filter, state: conditions, olderThanMs, next }: Selection,
  now: number,
): MessageSelection {
  if (sequenceNumbers !== undefined) return { kind: 'numbers', sequenceNumbers };
  if (next !== undefined) return { kind: 'matching', filter, conditions, ...readRest(next) };
  const enqueuedBefore = olderThanMs === undefined ? undefined : now - olderThanMs;
  return { kind: 'matching', filter, conditions, enqueuedBefore, fromSequenceNumber: 0 };
}

function partial({ reason, message, data }: ServiceBusError, count: number): ServiceBusError {
  const text = `${message} Before that, ${count} messages were changed; the others are unchanged.`;
  return new ServiceBusError(reason, text, data);
}
