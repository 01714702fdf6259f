// The commands that attach and detach links, and that give credit.

import type { Limits } from '../contract/limits.js';
import type { Result } from '../contract/result.js';
import type { MessageStore } from '../store/queue.js';
import type { BrokerParts } from '../turn/broker-parts.js';
import { type CommandOf, inNamespace, inStore } from '../turn/handler.js';
import type { TurnInProgress } from '../turn/turn-in-progress.js';
import { giveBrowserCredit } from './browse.js';
import { giveCredit } from './dispatcher.js';
import { type CheckedSelector, checkMayReceive } from './links.js';
import { checkMaySend } from './send.js';

const DONE: Result = { kind: 'done' };

/** The result for a client that opens an entity. */
export function entityResult(store: MessageStore, limits: Limits): Result {
  return {
    kind: 'entity',
    path: store.path,
    isTopic: store.queue.owner?.kind === 'topic',
    maxMessageSizeBytes: store.queue.maxMessageSizeBytes(limits),
    maxBatchSizeBytes: limits.maxMessageSizeBytes, // LIM-02
  };
}

/** Finding an entity does not count as access to it (IDL-03). */
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
  (store, { selector }: CommandOf<'attach-receiver'>, parts) => checkReceiver(store, selector, parts),
  (store, selector: CheckedSelector | undefined, command, { links, limits }, turn) => {
    const { linkId, receiveMode, keepsLocks, client } = command;
    links.attachReceiver({ linkId, store, receiveMode, keepsLocks, client, selector });
    turn.touch(store); // TTL-09
    return entityResult(store, limits);
  },
);

export const ATTACH_BROWSER = inStore(
  (store, { selector }: CommandOf<'attach-browser'>, parts) => checkReceiver(store, selector, parts),
  (store, selector: CheckedSelector | undefined, { linkId }, { links, limits }) => {
    links.attachBrowser(linkId, store, selector);
    return entityResult(store, limits);
  },
);

/** RCV-10 comes first (JMS-86). */
function checkReceiver(
  store: MessageStore,
  selector: string | undefined,
  parts: BrokerParts,
): CheckedSelector | undefined {
  checkMayReceive(store, { hasSession: false });
  return selector === undefined ? undefined : parts.links.checkSelector(selector, store, parts);
}

export const DETACH = inNamespace(() => {}, applyDetach);

function applyDetach(
  _change: unknown,
  { linkId, unsettled }: CommandOf<'detach'>,
  { links }: BrokerParts,
  turn: TurnInProgress,
): Result {
  const attached = links.findReceiver(linkId) ?? links.findBrowser(linkId);
  if (attached !== undefined) attached.store.queue.used(turn.now);
  links.detach(linkId, turn, unsettled);
  return DONE;
}

/** Ignores credit for a detached link: its client may not know of the detach yet. */
export const SET_CREDIT = inNamespace(() => {}, applySetCredit);

function applySetCredit(
  _change: unknown,
  command: CommandOf<'set-credit'>,
  parts: BrokerParts,
  turn: TurnInProgress,
): Result {
  const { links } = parts;
  const receiving = links.findReceiver(command.linkId);
  if (receiving !== undefined) giveCredit(receiving.store, receiving.receiver, command, parts, turn);
  const browsing = links.findBrowser(command.linkId);
  if (browsing !== undefined) giveBrowserCredit(browsing.store, browsing.browser, command, parts, turn);
  return DONE;
}
