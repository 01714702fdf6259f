// Which handler carries out which command.

import type { SingleCommand } from './command.js';
import { RECEIVE_DEFERRED } from './delivery/deferral.js';
import {
  ATTACH_BROWSER,
  ATTACH_RECEIVER,
  ATTACH_SENDER,
  DETACH,
  FIND_ENTITY,
  SET_CREDIT,
} from './delivery/link-commands.js';
import { ACCEPT_SESSION } from './delivery/session-acceptance.js';
import { GET_SESSION_STATE, RENEW_SESSION_LOCK, SET_SESSION_STATE } from './delivery/session-state.js';
import { RENEW_LOCK, SETTLE, SETTLE_MANY } from './delivery/settlement.js';
import {
  GET_QUEUE_INFO,
  GET_SUBSCRIPTION_INFO,
  GET_TOPIC_INFO,
  LIST_QUEUES,
  LIST_SUBSCRIPTIONS,
  LIST_TOPICS,
} from './entity/ask-entities.js';
import { DELETE_QUEUE, DELETE_SUBSCRIPTION, DELETE_TOPIC } from './entity/delete-entity.js';
import { PUT_QUEUE, PUT_SUBSCRIPTION, PUT_TOPIC } from './entity/put-entity.js';
import {
  ADD_RULE,
  GET_RULE,
  LIST_RULES,
  REMOVE_RULE,
  SET_RULES,
  UPDATE_RULE,
} from './entity/subscription-rules.js';
import type { CommandOf, Handler } from './handler.js';
import { DELETE_MESSAGES } from './message/batch-delete.js';
import { PEEK } from './message/browse.js';
import { CANCEL_SCHEDULED } from './message/schedule.js';
import { SEND } from './message/send.js';
import { LIST_SESSIONS } from './message/session-list.js';
import { TRANSFER } from './message/transfer.js';

const HANDLERS: { readonly [Kind in SingleCommand['kind']]: Handler<CommandOf<Kind>> } = {
  'find-entity': FIND_ENTITY,
  'attach-sender': ATTACH_SENDER,
  'attach-receiver': ATTACH_RECEIVER,
  'attach-browser': ATTACH_BROWSER,
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

  'put-queue': PUT_QUEUE,
  'delete-queue': DELETE_QUEUE,
  'get-queue-info': GET_QUEUE_INFO,
  'list-queues': LIST_QUEUES,
  'put-topic': PUT_TOPIC,
  'delete-topic': DELETE_TOPIC,
  'get-topic-info': GET_TOPIC_INFO,
  'list-topics': LIST_TOPICS,
  'put-subscription': PUT_SUBSCRIPTION,
  'delete-subscription': DELETE_SUBSCRIPTION,
  'get-subscription-info': GET_SUBSCRIPTION_INFO,
  'list-subscriptions': LIST_SUBSCRIPTIONS,

  'add-rule': ADD_RULE,
  'update-rule': UPDATE_RULE,
  'remove-rule': REMOVE_RULE,
  'set-rules': SET_RULES,
  'get-rule': GET_RULE,
  'list-rules': LIST_RULES,
};

export function handlerOf({ kind }: SingleCommand): Handler<SingleCommand> {
  return HANDLERS[kind];
}
