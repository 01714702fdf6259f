// Deletes, dead-letters, moves, resubmits and activates messages by hand, and ends their locks. Whoever holds a message loses it;
// only one that an open transaction settles is left alone.

import type { MessageCondition } from '../contract/inspection.js';
import type { MessageAction, SkippedMessage } from '../contract/management.js';
import { MESSAGE_STATE } from '../contract/message-properties.js';
import { ServiceBusError } from '../contract/service-bus-error.js';
import { countedEnd } from '../queue/message-lock.js';
import { deadLetter, reasonOf, removeMessage, returnCounted } from '../queue/outcomes.js';
import { activate } from '../queue/schedule.js';
import { DESCRIPTION, REASON } from '../store/dead-letter-groups.js';
import type { MessageStore } from '../store/queue.js';
import type { StoredMessage } from '../store/stored-message.js';
import type { BrokerParts } from '../turn/broker-parts.js';
import { type CommandOf, inNamespace } from '../turn/handler.js';
import { inspectedStore, messageConditionOf } from './inspected-store.js';
import { type ManagedTurn, MessageHold } from './message-hold.js';
import { checkDestination, moveMessage, resubmitMessage } from './relocate-message.js';
import {
  checkConditions,
  SelectionWork,
  selectionFilter,
  unreadable,
  type Visit,
} from './select-messages.js';

type ManageMessages = CommandOf<'manage-messages'>;

const ANY: readonly MessageCondition[] = ['active', 'locked', 'scheduled', 'deferred'];
const ENQUEUED: readonly MessageCondition[] = ['active', 'locked', 'deferred'];

/** The messages to which each action applies. */
const CONDITIONS: { readonly [Kind in MessageAction['kind']]: readonly MessageCondition[] } = {
  delete: ANY,
  'dead-letter': ENQUEUED,
  resubmit: ENQUEUED,
  move: ANY,
  activate: ['scheduled', 'deferred'],
  'end-lock': ['locked'],
};

/** Counts as use of the entity (IDL-03), unlike an inspection. */
export const MANAGE_MESSAGES = inNamespace(
  ({ entityPath, action, selection }: ManageMessages, parts) => {
    const store = inspectedStore(entityPath, parts.namespace);
    checkConditions(selection, CONDITIONS[action.kind], action.kind);
    checkAction(store, action, parts);
    return { store, filter: selectionFilter(selection, parts) };
  },
  ({ store, filter }, { action, selection, isDryRun = false }, parts, turn) => {
    store.queue.used(turn.now);
    const work = new SelectionWork(store, parts, turn);
    const newSequenceNumbers: number[] = [];
    const managed = work.run(
      selection,
      filter,
      actionOn(action, isDryRun, { hold: new MessageHold(store, parts), parts, turn, newSequenceNumbers }),
    );
    if (managed.sequenceNumbers.length > 0 && !isDryRun) turn.touch(store);
    const renumbered = newSequenceNumbers.length > 0 ? { newSequenceNumbers } : {};
    return { kind: 'managed-messages', ...managed, ...renumbered };
  },
);

/** Throws for an action that is possible for no message of the store. */
function checkAction(store: MessageStore, action: MessageAction, parts: BrokerParts): void {
  const { path, isDeadLetterQueue, queue } = store;
  if (action.kind === 'move') checkDestination(action.destination, store, parts);
  if (action.kind !== 'dead-letter') return;
  if (isDeadLetterQueue) {
    const text = `The messages of '${path}' are in a dead-letter queue already; resubmit, move or delete them.`;
    throw new ServiceBusError('not-allowed', text, { entityPath: path, about: 'dead-letter-queue' });
  }
  if (queue.owner?.kind === 'topic' && store.kind === 'main') {
    const text = `'${path}' is a topic and has no dead-letter queue; dead-letter messages of its subscriptions.`;
    throw new ServiceBusError('not-allowed', text, { entityPath: path, about: 'topic' });
  }
}

function actionOn(action: MessageAction, isDryRun: boolean, managed: ManagedTurn): Visit {
  const { hold, turn } = managed;
  const conditions = CONDITIONS[action.kind];
  return (message, open) => {
    const condition = messageConditionOf(message);
    if (!conditions.includes(condition)) return wrongState(message, condition, action);
    if (hold.isInTransaction(message)) return inUse(message);
    if (isDryRun) return 'done';
    switch (action.kind) {
      case 'delete':
        return deleteOne(message, managed);
      case 'dead-letter':
        hold.take(message);
        deadLetter(hold.store, message, changesOf(action), turn);
        return 'done';
      case 'resubmit':
        return resubmitMessage(message, action, open, managed);
      case 'move':
        return moveMessage(message, action.destination, open, managed);
      case 'activate':
        return activateOne(message, managed);
      case 'end-lock':
        return endLock(message, managed);
      default:
        return action satisfies never;
    }
  };
}

function deleteOne(message: StoredMessage, { hold, turn }: ManagedTurn): 'done' {
  const { store } = hold;
  const { sequenceNumber } = message;
  const kind = message.state === MESSAGE_STATE.scheduled ? 'cancelled' : 'deleted';
  hold.take(message);
  turn.activities?.push({ kind, path: store.path, sequenceNumber });
  removeMessage(store, message, turn);
  return 'done';
}

/** A scheduled message gets a new number, as at its time (SCH-03); a deferred one keeps its own. */
function activateOne(message: StoredMessage, { hold, parts, turn }: ManagedTurn): 'done' | SkippedMessage {
  const { store } = hold;
  if (message.state === MESSAGE_STATE.scheduled) {
    hold.take(message);
    return activate(store, message, parts, turn) ? 'done' : unreadable(message);
  }
  const { sequenceNumber } = message;
  const { path } = store;
  turn.activities?.push({ kind: 'activated', path, sequenceNumber, scheduledNumber: sequenceNumber });
  store.log.setState(message, MESSAGE_STATE.active);
  turn.messagePut(store, message);
  store.giveBack(message);
  return 'done';
}

/** M13, by hand. */
function endLock(message: StoredMessage, { hold, parts, turn }: ManagedTurn): 'done' | SkippedMessage {
  const { sequenceNumber } = message;
  const lock = hold.lockOf(message);
  if (lock === undefined || lock.sessionLock !== undefined) {
    const text = `Message ${sequenceNumber} is locked with its session '${message.sessionId}'; end the lock of the session.`;
    return { sequenceNumber, code: 'wrong-state', text };
  }
  parts.locks.end(lock);
  turn.activities?.push(countedEnd('lock-expired', lock, turn));
  returnCounted(lock.store, message, [], turn, lock.client);
  return 'done';
}

/** DLQ-05: as a client would set them. */
function changesOf({ reason, description }: Extract<MessageAction, { readonly kind: 'dead-letter' }>) {
  return reasonOf(reason ?? '', description ?? '').filter(
    ({ name }) =>
      (name === REASON && reason !== undefined) || (name === DESCRIPTION && description !== undefined),
  );
}

function wrongState(
  { sequenceNumber }: StoredMessage,
  condition: MessageCondition,
  { kind }: MessageAction,
): SkippedMessage {
  const text = `Message ${sequenceNumber} is ${condition}, and '${kind}' is for messages that are ${CONDITIONS[kind].join(' or ')}.`;
  return { sequenceNumber, code: 'wrong-state', text };
}

function inUse({ sequenceNumber }: StoredMessage): SkippedMessage {
  const text = `An open transaction is about message ${sequenceNumber}; try again when it has been discharged.`;
  return { sequenceNumber, code: 'in-use', text };
}
