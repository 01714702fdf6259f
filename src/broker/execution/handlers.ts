// The handler of each kind of command.

import type { SingleCommand } from '../contract/command.js';
import { END_SESSION } from '../control/end-session.js';
import { IMPORT_MESSAGES } from '../control/import-messages.js';
import { INSPECT_CAUSES } from '../control/inspect-causes.js';
import { INSPECT_LOCKS, INSPECT_SESSIONS } from '../control/inspect-holds.js';
import { INSPECT_MESSAGES } from '../control/inspect-messages.js';
import { INSPECT_NAMESPACE } from '../control/inspect-namespace.js';
import { TEST_RULES } from '../control/inspect-rules.js';
import { INSPECT_WORK } from '../control/inspect-work.js';
import { MANAGE_MESSAGES } from '../control/manage-messages.js';
import { PURGE } from '../control/purge.js';
import { TAKE_SNAPSHOT } from '../control/take-snapshot.js';
import { DELETE_ENTITY } from '../namespace/delete-entity.js';
import { GET_ENTITY, LIST_ENTITIES } from '../namespace/entity-info.js';
import { PUT_ENTITY } from '../namespace/put-entity.js';
import { ATTACH_SUBSCRIBER, FIND_SUBSCRIBER, UNSUBSCRIBE } from '../namespace/subscribers.js';
import { CONTENT_UNREADABLE } from '../namespace/unreadable-contents.js';
import { ATTACH_TEMPORARY } from '../namespace/used-entities.js';
import { DELETE_MESSAGES } from '../queue/batch-delete.js';
import { PEEK } from '../queue/browse.js';
import { RECEIVE_DEFERRED } from '../queue/deferral.js';
import {
  ATTACH_BROWSER,
  ATTACH_RECEIVER,
  ATTACH_SENDER,
  DETACH,
  FIND_ENTITY,
  SET_CREDIT,
} from '../queue/link-commands.js';
import { CANCEL_SCHEDULED } from '../queue/schedule.js';
import { SEND } from '../queue/send.js';
import { RENEW_LOCK, SETTLE, SETTLE_MANY } from '../queue/settlement.js';
import { ACCEPT_SESSION } from '../sessions/session-acceptance.js';
import {
  GET_SESSION_STATE,
  LIST_SESSIONS,
  RENEW_SESSION_LOCK,
  SET_SESSION_STATE,
} from '../sessions/session-commands.js';
import {
  ADD_RULE,
  GET_RULE,
  LIST_RULES,
  REMOVE_RULE,
  SET_RULES,
  UPDATE_RULE,
} from '../topics/subscription-rules.js';
import { TRANSFER } from '../topics/transfer.js';
import type { CommandOf, Handler } from '../turn/handler.js';

const HANDLERS: { readonly [Kind in SingleCommand['kind']]: Handler<CommandOf<Kind>> } = {
  'find-entity': FIND_ENTITY,
  'attach-sender': ATTACH_SENDER,
  'attach-receiver': ATTACH_RECEIVER,
  'attach-browser': ATTACH_BROWSER,
  'attach-temporary': ATTACH_TEMPORARY,
  'attach-subscriber': ATTACH_SUBSCRIBER,
  'find-subscriber': FIND_SUBSCRIBER,
  unsubscribe: UNSUBSCRIBE,
  'accept-session': ACCEPT_SESSION,
  'set-credit': SET_CREDIT,
  detach: DETACH,

  send: SEND,
  transfer: TRANSFER,
  settle: SETTLE,
  'settle-many': SETTLE_MANY,
  'renew-lock': RENEW_LOCK,
  peek: PEEK,
  'receive-deferred': RECEIVE_DEFERRED,
  'cancel-scheduled': CANCEL_SCHEDULED,
  'delete-messages': DELETE_MESSAGES,

  'renew-session-lock': RENEW_SESSION_LOCK,
  'get-session-state': GET_SESSION_STATE,
  'set-session-state': SET_SESSION_STATE,
  'list-sessions': LIST_SESSIONS,

  'put-entity': PUT_ENTITY,
  'delete-entity': DELETE_ENTITY,
  'get-entity': GET_ENTITY,
  'list-entities': LIST_ENTITIES,

  'add-rule': ADD_RULE,
  'update-rule': UPDATE_RULE,
  'remove-rule': REMOVE_RULE,
  'set-rules': SET_RULES,
  'get-rule': GET_RULE,
  'list-rules': LIST_RULES,

  'inspect-namespace': INSPECT_NAMESPACE,
  'inspect-messages': INSPECT_MESSAGES,
  'inspect-locks': INSPECT_LOCKS,
  'inspect-sessions': INSPECT_SESSIONS,
  'inspect-work': INSPECT_WORK,
  'inspect-causes': INSPECT_CAUSES,
  'test-rules': TEST_RULES,
  purge: PURGE,
  'take-snapshot': TAKE_SNAPSHOT,
  'manage-messages': MANAGE_MESSAGES,
  'import-messages': IMPORT_MESSAGES,
  'end-session': END_SESSION,
  'content-unreadable': CONTENT_UNREADABLE,
};

export function handlerOf({ kind }: SingleCommand): Handler<SingleCommand> {
  return HANDLERS[kind];
}
