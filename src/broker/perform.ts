// Which part of the broker does what a command asks for.

import type { BrokerParts } from './broker-parts.js';
import type { Command } from './command.js';
import { giveBrowserCredit } from './delivery/browser.js';
import { receiveDeferred } from './delivery/deferral.js';
import { giveCredit } from './delivery/receiver-credit.js';
import { acceptSession } from './delivery/session-acceptance.js';
import { getSessionState, renewSession, setSessionState } from './delivery/session-state.js';
import { renewLocks, settle } from './delivery/settlement.js';
import type { MessageStore } from './entity/message-store.js';
import type { Namespace } from './entity/namespace.js';
import {
  addRule,
  getRule,
  listRules,
  removeRule,
  setRules,
  updateRule,
} from './entity/subscription-rules.js';
import { deleteMessages } from './message/batch-delete.js';
import { peek } from './message/browse.js';
import { cancelScheduled } from './message/schedule.js';
import { send } from './message/send.js';
import { listSessions } from './message/session-list.js';
import { performOnEntities } from './perform-on-entities.js';
import type { Result } from './result.js';
import type { TurnInProgress } from './turn-in-progress.js';

/** Those that use a store (IDL-03). */
type CommandInStore = Exclude<
  Extract<Command, { entityPath: string }>,
  { kind: 'find-entity' | 'attach-sender' | 'get-rule' | 'list-rules' }
>;

const DONE: Result = { kind: 'done' };

/** Throws ServiceBusError for a client's mistake, before anything is changed. */
export function perform(command: Command, parts: BrokerParts, turn: TurnInProgress): Result {
  const { namespace, links } = parts;
  switch (command.kind) {
    case 'find-entity':
      return entityResult(namespace.store(command.entityPath), parts);
    case 'attach-sender': {
      const store = namespace.store(command.entityPath);
      links.attachSender(command.linkId, store);
      return entityResult(store, parts);
    }
    case 'detach': {
      const receiver = links.findReceiver(command.linkId) ?? links.findBrowser(command.linkId);
      if (receiver !== undefined) receiver.store.queue.used(turn.now);
      links.detach(command.linkId, turn);
      return DONE;
    }
    case 'set-credit': {
      // A receiver just detached may not have heard of it yet; its credit then means nothing.
      const receiver = links.findReceiver(command.linkId);
      if (receiver !== undefined) giveCredit(receiver, command, parts.locks, turn);
      const browser = links.findBrowser(command.linkId);
      if (browser !== undefined) giveBrowserCredit(browser, command, turn);
      return DONE;
    }
    case 'tick':
      return DONE;
    case 'put-queue':
    case 'delete-queue':
    case 'get-queue-info':
    case 'list-queues':
    case 'put-topic':
    case 'delete-topic':
    case 'get-topic-info':
    case 'list-topics':
    case 'put-subscription':
    case 'delete-subscription':
    case 'get-subscription-info':
    case 'list-subscriptions':
      return performOnEntities(command, parts, turn);
    case 'get-rule':
      return getRule(namespace.store(command.entityPath), command.name);
    case 'list-rules':
      return listRules(namespace.store(command.entityPath), command);
    default:
      return performIn(use(namespace, command.entityPath, turn), command, parts, turn);
  }
}

function performIn(
  store: MessageStore,
  command: CommandInStore,
  parts: BrokerParts,
  turn: TurnInProgress,
): Result {
  const { links, locks, limits, sessionLocks } = parts;
  switch (command.kind) {
    case 'attach-receiver':
      links.attachReceiver({ ...command, store });
      turn.touch(store); // TTL-09
      return entityResult(store, parts);
    case 'attach-browser':
      links.attachBrowser(command.linkId, store);
      return entityResult(store, parts);
    case 'accept-session':
      acceptSession(store, command, parts, turn);
      return entityResult(store, parts);
    case 'send':
      return send(store, command.messages, parts, turn);
    case 'settle': {
      const { lockToken, outcome } = command;
      return settle(store, { lockTokens: [lockToken], outcome }, parts, turn);
    }
    case 'settle-many':
      return settle(store, command, parts, turn);
    case 'renew-lock':
      return renewLocks(store, command.lockTokens, locks, turn.now);
    case 'peek':
      return peek(store, command, limits);
    case 'receive-deferred':
      return receiveDeferred(store, command, parts, turn);
    case 'cancel-scheduled':
      return cancelScheduled(store, command.sequenceNumbers, turn);
    case 'delete-messages':
      return deleteMessages(store, command, limits, turn);
    case 'renew-session-lock':
      return renewSession(store, command.session, sessionLocks, turn);
    case 'get-session-state':
      return getSessionState(store, command.session);
    case 'set-session-state':
      return setSessionState(store, command, parts, turn);
    case 'list-sessions':
      return listSessions(store, command, limits);
    case 'add-rule':
      return addRule(store, command.rule, parts, turn);
    case 'remove-rule':
      return removeRule(store, command.name, turn);
    case 'update-rule':
      return updateRule(store, command.rule, parts, turn);
    case 'set-rules':
      return setRules(store, command.rules, parts, turn);
  }
}

/** The store at this path, in use from now on (IDL-03, CNT-03). */
function use(namespace: Namespace, entityPath: string, turn: TurnInProgress): MessageStore {
  const store = namespace.store(entityPath);
  store.queue.used(turn.now);
  return store;
}

function entityResult(store: MessageStore, { limits }: BrokerParts): Result {
  return {
    kind: 'entity',
    path: store.path,
    maxMessageSizeBytes: store.queue.maxMessageSizeBytes(limits),
    maxBatchSizeBytes: limits.maxMessageSizeBytes, // LIM-02
  };
}
