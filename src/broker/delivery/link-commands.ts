// Links come, take credit and go, by command.

import type { BrokerParts } from '../broker-parts.js';
import type { MessageStore } from '../entity/message-store.js';
import { type CommandOf, inNamespace, inStore } from '../handler.js';
import type { Limits } from '../limits.js';
import { checkMaySend } from '../message/send.js';
import type { Result } from '../result.js';
import type { TurnInProgress } from '../turn-in-progress.js';
import { giveBrowserCredit } from './browser.js';
import { checkMayReceive } from './links.js';
import { giveCredit } from './receiver-credit.js';

const DONE: Result = { kind: 'done' };

/** The answer to a client that comes to an entity. */
export function entityResult(store: MessageStore, limits: Limits): Result {
  return {
    kind: 'entity',
    path: store.path,
    maxMessageSizeBytes: store.queue.maxMessageSizeBytes(limits),
    maxBatchSizeBytes: limits.maxMessageSizeBytes, // LIM-02
  };
}

/** To ask about an entity is no use of it (IDL-03). */
export const FIND_ENTITY = inNamespace(
  ({ entityPath }: CommandOf<'find-entity'>, { namespace }) => namespace.store(entityPath),
  (store: MessageStore, _command, { limits }) => entityResult(store, limits),
);

export const ATTACH_SENDER = inNamespace(
  ({ entityPath }: CommandOf<'attach-sender'>, { namespace }) => {
    const store = namespace.store(entityPath);
    checkMaySend(store);
    return store;
  },
  (store: MessageStore, { linkId }, { links, limits }) => {
    links.attachSender(linkId, store);
    return entityResult(store, limits);
  },
);

export const ATTACH_RECEIVER = inStore(
  (store, _command: CommandOf<'attach-receiver'>) => checkMayReceive(store, { hasSession: false }),
  (store, _change: unknown, { linkId, receiveMode, keepsLocks }, { links, limits }, turn) => {
    links.attachReceiver({ linkId, store, receiveMode, keepsLocks });
    turn.touch(store); // TTL-09
    return entityResult(store, limits);
  },
);

export const ATTACH_BROWSER = inStore(
  (store, _command: CommandOf<'attach-browser'>) => checkMayReceive(store, { hasSession: false }),
  (store, _change: unknown, { linkId }, { links, limits }) => {
    links.attachBrowser(linkId, store);
    return entityResult(store, limits);
  },
);

export const DETACH = inNamespace(() => {}, applyDetach);

function applyDetach(
  _change: unknown,
  { linkId }: CommandOf<'detach'>,
  { links }: BrokerParts,
  turn: TurnInProgress,
): Result {
  const receiver = links.findReceiver(linkId) ?? links.findBrowser(linkId);
  if (receiver !== undefined) receiver.store.queue.used(turn.now);
  links.detach(linkId, turn);
  return DONE;
}

/** A receiver just detached may not have heard of it yet; its credit then means nothing. */
export const SET_CREDIT = inNamespace(() => {}, applySetCredit);

function applySetCredit(
  _change: unknown,
  command: CommandOf<'set-credit'>,
  { links, locks }: BrokerParts,
  turn: TurnInProgress,
): Result {
  const receiver = links.findReceiver(command.linkId);
  if (receiver !== undefined) giveCredit(receiver, command, locks, turn);
  const browser = links.findBrowser(command.linkId);
  if (browser !== undefined) giveBrowserCredit(browser, command, turn);
  return DONE;
}
