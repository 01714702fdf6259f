// The `$management` node of an entity: finds the operation that a request names, carries it out and answers with its result.

import type { AccessRight } from '../../broker/entities/authorization-rule.js';
import type { FoundMessage, Result } from '../../broker/result.js';
import { ServiceBusError } from '../../broker/service-bus-error.js';
import type { Engine } from '../../engine/engine.js';
import type { Requester, RequestOrigin } from '../../engine/requester.js';
import type { ConnectionActivity } from '../connection-activity.js';
import type { Unauthorized } from '../connection-claims.js';
import { type ErrorContext, type Failure, failureOf } from '../error-condition.js';
import type { RequestNode } from '../request-links.js';
import type { Request, Response } from '../request-message.js';
import type { ConnectionTransactions, Membership } from '../transactions.js';
import type {
  ManagementOperation,
  PreparedOperation,
  ReadAnswer,
  ReadMessage,
} from './management-operation.js';
import {
  batchDeleteMessages,
  cancelScheduledMessage,
  renewLock,
  scheduleMessage,
  updateDisposition,
} from './message-changes.js';
import { peekMessage, receiveBySequenceNumber } from './message-reads.js';
import { addRule, enumerateRules, removeRule } from './rule-operations.js';
import {
  getMessageSessions,
  getSessionState,
  renewSessionLock,
  setSessionState,
} from './session-operations.js';

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

/** Operations that need the right Send. All others need Listen, even those on rules: every SDK's rule manager has it. */
const SENDING: ReadonlySet<string> = new Set([
  'com.microsoft:schedule-message',
  'com.microsoft:cancel-scheduled-message',
]);

/** Limit of characters that an error text repeats from the name of an unknown operation. */
const MAX_NAME_LENGTH = 100;

/** Room for the rest of a request, besides the message that it schedules or the session state that it sets. */
const REQUEST_OVERHEAD_BYTES = 64 * 1024;

/** A request of up to this size is answered although it is too large for the entity: the JavaScript SDK ignores rejections. */
const LARGE_REQUEST_BYTES = 16 * 1024 * 1024;

type Respond = (response: Response) => void;

export type ManagementNodeOptions = {
  readonly entityPath: string;
  /** The connection that the requests come on, from `engine.openConnection`. */
  readonly connectionId: number;
  readonly maxMessageSizeBytes: number;
  readonly context: ErrorContext;
  readonly transactions: ConnectionTransactions;
  /** Default: nothing is said. */
  readonly activity?: ConnectionActivity;
  /** The refusal of operations that need this right. Default: none is refused. */
  readonly unauthorized?: ((right: AccessRight) => Unauthorized | undefined) | undefined;
  /** Ends the connection because of an internal fault. */
  readonly faulted: (cause: unknown) => void;
};

export class ManagementNode implements RequestNode {
  readonly name: string;
  readonly maxRequestBytes: number;
  readonly #engine: Engine;
  readonly #entityPath: string;
  readonly #connectionId: number;
  readonly #context: ErrorContext;
  readonly #transactions: ConnectionTransactions;
  readonly #origin: RequestOrigin | undefined;
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
    this.#origin = options.activity?.origin(undefined);
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
      const fields = { entityPath: this.#entityPath, connectionId: this.#connectionId, body, encodedBody };
      this.#submit(operation(fields), membership, respond);
    } catch (error) {
      if (!(error instanceof ServiceBusError)) throw error;
      respond(this.#refusal(request, error));
    }
  }

  #submit(operation: PreparedOperation, membership: Membership | undefined, respond: Respond): void {
    const { command } = operation;
    const requester: Requester = {
      origin: this.#origin,
      completed: (_tag, result) => {
        if (membership !== undefined && result.kind === 'failed') {
          this.#transactions.refused(membership, result.error.reason);
        }
        this.#completed(operation, result, respond);
      },
      faulted: this.#faulted,
    };
    const enlisted = membership === undefined ? command : this.#transactions.enlistment(command, membership);
    this.#engine.submit(enlisted, requester, 0);
  }

  /** Makes sure that the request's transaction, if any, cannot be committed. */
  #doom({ membership }: Request, error: ServiceBusError): void {
    if (membership !== undefined) this.#transactions.doom(membership.transactionId, error);
  }

  #refusal(request: Request, error: ServiceBusError): Failure {
    this.#doom(request, error);
    return this.#failure(error);
  }

  #completed(operation: PreparedOperation, result: Result, respond: Respond): void {
    switch (result.kind) {
      case 'failed':
        respond(this.#failure(result.error));
        return;
      case 'messages':
        this.#respondOnceRead(readMessages(this.#engine, result.messages), operation, respond);
        return;
      case 'session-state':
        this.#respondOnceRead(readState(this.#engine, result.contentId), operation, respond);
        return;
      default:
        respond(operation.response(result));
    }
  }

  #respondOnceRead(answer: Promise<ReadAnswer>, operation: PreparedOperation, respond: Respond): void {
    answer
      .then((read) => respond(operation.response(read)))
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

function rightFor(operation: string): AccessRight {
  return SENDING.has(operation) ? 'Send' : 'Listen';
}

/** Reads all contents at the same time. Must be called while the result is handled, like `readState`: contents that its turn has removed are retained only until then. */
async function readMessages(engine: Engine, found: readonly FoundMessage[]): Promise<ReadAnswer> {
  const messages = found.map(async (message): Promise<ReadMessage> => {
    const content = await engine.readContent(message.contentId);
    return { ...message, content };
  });
  return { kind: 'messages', messages: await Promise.all(messages) };
}

async function readState(engine: Engine, contentId: number | undefined): Promise<ReadAnswer> {
  const state = contentId === undefined ? undefined : await engine.readContent(contentId);
  return { kind: 'session-state', state };
}
