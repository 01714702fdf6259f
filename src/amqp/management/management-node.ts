// The `$management` node of an entity: finds the operation a request names and answers with its result.

import type { AccessRight } from '../../broker/entity/authorization-rule.js';
import type { Result } from '../../broker/result.js';
import { ServiceBusError } from '../../broker/service-bus-error.js';
import type { Engine } from '../../engine/engine.js';
import type { Unauthorized } from '../connection-claims.js';
import { type ErrorContext, type Failure, failureOf } from '../error-condition.js';
import type { RequestNode } from '../request-links.js';
import type { Request, Response } from '../request-message.js';
import type { Membership, Transactions } from '../transactions.js';
import { addRule } from './add-rule.js';
import { batchDeleteMessages } from './batch-delete-messages.js';
import { cancelScheduledMessage } from './cancel-scheduled-message.js';
import { enumerateRules } from './enumerate-rules.js';
import { getMessageSessions } from './get-message-sessions.js';
import { getSessionState } from './get-session-state.js';
import type { ManagementOperation, Question, ReadAnswer } from './management-operation.js';
import { rightFor } from './operation-rights.js';
import { peekMessage } from './peek-message.js';
import { readMessages, readState } from './read-contents.js';
import { receiveBySequenceNumber } from './receive-by-sequence-number.js';
import { removeRule } from './remove-rule.js';
import { renewLock } from './renew-lock.js';
import { renewSessionLock } from './renew-session-lock.js';
import { scheduleMessage } from './schedule-message.js';
import { setSessionState } from './set-session-state.js';
import { updateDisposition } from './update-disposition.js';

const OPERATIONS: ReadonlyMap<string, ManagementOperation> = new Map([
  ['com.microsoft:renew-lock', renewLock],
  ['com.microsoft:peek-message', peekMessage],
  ['com.microsoft:receive-by-sequence-number', receiveBySequenceNumber],
  ['com.microsoft:update-disposition', updateDisposition],
  ['com.microsoft:schedule-message', scheduleMessage],
  ['com.microsoft:cancel-scheduled-message', cancelScheduledMessage],
  ['com.microsoft:batch-delete-messages', batchDeleteMessages],
  ['com.microsoft:renew-session-lock', renewSessionLock],
  ['com.microsoft:get-session-state', getSessionState],
  ['com.microsoft:set-session-state', setSessionState],
  ['com.microsoft:get-message-sessions', getMessageSessions],
  ['com.microsoft:add-rule', addRule],
  ['com.microsoft:remove-rule', removeRule],
  ['com.microsoft:enumerate-rules', enumerateRules],
]);

/** Of an operation nobody knows, as much as is told back. */
const MAX_NAME_LENGTH = 100;

/** Of a request to schedule one message or to set the state of a session, what comes on top of that. */
const REQUEST_OVERHEAD_BYTES = 64 * 1024;

/** What is too large for an entity is answered up to here: the JavaScript SDK takes no notice of a request that is rejected. */
const LARGE_REQUEST_BYTES = 16 * 1024 * 1024;

type Respond = (response: Response) => void;

export type ManagementNodeOptions = {
  readonly entityPath: string;
  /** From `engine.openConnection`, of the connection that the requests come on. */
  readonly connectionId: number;
  readonly maxMessageSizeBytes: number;
  readonly context: ErrorContext;
  readonly transactions: Transactions;
  /** Why an operation that needs this right may not be carried out; where there is none, all may. */
  readonly unauthorized?: ((right: AccessRight) => Unauthorized | undefined) | undefined;
  /** Something of ours broke; the connection is to end. */
  readonly faulted: (cause: unknown) => void;
};

export class ManagementNode implements RequestNode {
  readonly name: string;
  readonly maxRequestBytes: number;
  readonly #engine: Engine;
  readonly #entityPath: string;
  readonly #connectionId: number;
  readonly #context: ErrorContext;
  readonly #transactions: Transactions;
  readonly #unauthorized: ManagementNodeOptions['unauthorized'];
  readonly #faulted: (cause: unknown) => void;

  constructor(engine: Engine, options: ManagementNodeOptions) {
    const { entityPath, connectionId, maxMessageSizeBytes, context, transactions } = options;
    this.name = `${entityPath.toLowerCase()}/$management`;
    this.maxRequestBytes = Math.max(LARGE_REQUEST_BYTES, maxMessageSizeBytes + REQUEST_OVERHEAD_BYTES);
    this.#engine = engine;
    this.#entityPath = entityPath;
    this.#connectionId = connectionId;
    this.#context = context;
    this.#transactions = transactions;
    this.#unauthorized = options.unauthorized;
    this.#faulted = options.faulted;
  }

  answer(request: Request, respond: Respond): void {
    const { operation: name = '' } = request;
    const operation = OPERATIONS.get(name);
    if (operation === undefined) {
      respond(this.#refusal(request, this.#unknownOperation(request)));
      return;
    }
    const unauthorized = this.#unauthorized?.(rightFor(name));
    if (unauthorized !== undefined) {
      this.#doom(request, new ServiceBusError('not-allowed', unauthorized.description));
      respond({ status: 401, ...unauthorized });
      return;
    }
    try {
      const { body, encodedBody, membership } = request;
      const asked = { entityPath: this.#entityPath, connectionId: this.#connectionId, body, encodedBody };
      this.#ask(operation(asked), membership, respond);
    } catch (error) {
      if (!(error instanceof ServiceBusError)) throw error;
      respond(this.#refusal(request, error));
    }
  }

  #ask(question: Question, membership: Membership | undefined, respond: Respond): void {
    const { command } = question;
    const requester = {
      completed: (_tag: number, result: Result) => {
        if (membership !== undefined && result.kind === 'failed') {
          this.#transactions.refused(membership, result.error.reason);
        }
        this.#answered(question, result, respond);
      },
      faulted: this.#faulted,
    };
    const asked = membership === undefined ? command : this.#transactions.enlistment(command, membership);
    this.#engine.submit(asked, requester, 0);
  }

  /** A transaction that the request belongs to cannot be committed. */
  #doom({ membership }: Request, error: ServiceBusError): void {
    if (membership !== undefined) this.#transactions.doom(membership.transactionId, error);
  }

  #refusal(request: Request, error: ServiceBusError): Failure {
    this.#doom(request, error);
    return this.#failure(error);
  }

  #answered(question: Question, result: Result, respond: Respond): void {
    switch (result.kind) {
      case 'failed':
        respond(this.#failure(result.error));
        return;
      case 'messages':
        this.#respondOnceRead(readMessages(this.#engine, result.messages), question, respond);
        return;
      case 'session-state':
        this.#respondOnceRead(readState(this.#engine, result.contentId), question, respond);
        return;
      default:
        respond(question.response(result));
    }
  }

  #respondOnceRead(answer: Promise<ReadAnswer>, question: Question, respond: Respond): void {
    answer
      .then((read) => respond(question.response(read)))
      .catch((cause: unknown) => {
        respond(this.#failure(unreadable(this.#entityPath)));
        this.#faulted(cause);
      });
  }

  #failure(error: ServiceBusError): Failure {
    return failureOf(error, this.#context, this.#entityPath);
  }

  #unknownOperation(request: Request): ServiceBusError {
    const named = JSON.stringify(request.operation?.slice(0, MAX_NAME_LENGTH) ?? null);
    const known = [...OPERATIONS.keys()].join(', ');
    return new ServiceBusError(
      'not-implemented',
      `The operation ${named} is not there yet, or not known. There is: ${known}.`,
      { entityPath: this.#entityPath, property: 'operation', value: request.operation },
    );
  }
}

function unreadable(entityPath: string): ServiceBusError {
  return new ServiceBusError(
    'internal',
    'What was found could not be read; the log of the emulator says why.',
    { entityPath },
  );
}
