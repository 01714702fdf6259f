// The `$management` node of an entity: finds the operation that a request names, carries it out and answers with its result.

import type { AutoCreate } from '../../auto-create.js';
import { ContentUnreadable } from '../../broker/contract/content-unreadable.js';
import type { AccessRight } from '../../broker/contract/entities/authorization-rule.js';
import type { FoundMessage, Result } from '../../broker/contract/result.js';
import { ServiceBusError } from '../../broker/contract/service-bus-error.js';
import { ClientGone } from '../../budget/byte-budget.js';
import type { Engine } from '../../engine/engine.js';
import type { Requester, RequestOrigin } from '../../engine/requester.js';
import type { ConnectionActivity } from '../connection-activity.js';
import type { Unauthorized } from '../connection-claims.js';
import { type ErrorContext, type Failure, failureOf } from '../error-condition.js';
import type { ConnectionTransactions, Membership } from '../links/transactions.js';
import type { PreparedOperation, ReadMessage } from './management-operation.js';
import { OPERATIONS } from './operations.js';
import type { AnswerRoom, RequestNode } from './request-links.js';
import type { Request, Response } from './request-message.js';

/** The usual size of a large answer; one with large contents is larger. */
const LARGE_ANSWER_BYTES = 256 * 1024;

/** Limit of characters that an error text repeats from the name of an unknown operation. */
const MAX_NAME_LENGTH = 100;

/** Room for the rest of a request, in addition to the message that it schedules or the session state that it sets. */
const REQUEST_OVERHEAD_BYTES = 64 * 1024;

/** A request of up to this size is answered although it is too large for the entity: the JavaScript SDK ignores rejections. */
const LARGE_REQUEST_BYTES = 16 * 1024 * 1024;

/** How often a peek is repeated while it finds only messages whose contents cannot be read. */
const MAX_PEEKS = 100;

type Respond = (response: Response) => void;

type OperationParts = {
  readonly membership: Membership | undefined;
  readonly respond: Respond;
  readonly room: AnswerRoom;
};

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
  /** Creates a missing queue for scheduled messages. Default: none is created. */
  readonly autoCreate?: AutoCreate | undefined;
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
  readonly #autoCreate: AutoCreate | undefined;
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
    this.#autoCreate = options.autoCreate;
    this.#faulted = options.faulted;
  }

  faultable({ operation = '', body }: Request): ReturnType<NonNullable<RequestNode['faultable']>> {
    const fault = OPERATIONS.get(operation)?.fault;
    const found = typeof fault === 'function' ? fault(body) : fault;
    return found && { operation: found, path: this.#entityPath };
  }

  refusal(failure: Failure, request: Request): Failure {
    this.#doom(request, new ServiceBusError('internal', failure.description));
    return failure;
  }

  answerBytes({ operation = '' }: Request): number {
    return OPERATIONS.get(operation)?.hasLargeAnswer === true ? LARGE_ANSWER_BYTES : 0;
  }

  answer(request: Request, respond: Respond, room: AnswerRoom): void {
    const { operation: name = '' } = request;
    const operation = OPERATIONS.get(name);
    if (operation === undefined) {
      respond(this.#refusal(request, this.#unknownOperation(request)));
      return;
    }
    const unauthorized = this.#unauthorized?.(operation.right ?? 'Listen');
    if (unauthorized !== undefined) {
      this.#doom(request, new ServiceBusError('not-allowed', unauthorized.description));
      respond({ status: 401, ...unauthorized });
      return;
    }
    try {
      const { body, encodedBody, membership } = request;
      const fields = { entityPath: this.#entityPath, connectionId: this.#connectionId, body, encodedBody };
      const refused = membership && this.#transactions.refusalOfMore(membership);
      if (refused !== undefined) throw refused;
      const prepared = operation.prepare(fields);
      const submit = () => this.#submit(prepared, { membership, respond, room });
      // SCH-01: only scheduled messages are sent here.
      if (this.#autoCreate === undefined || prepared.command.kind !== 'send') submit();
      else this.#submitOnceCreated(this.#autoCreate, request, submit, respond);
    } catch (error) {
      if (!(error instanceof ServiceBusError)) throw error;
      respond(this.#refusal(request, error));
    }
  }

  #submitOnceCreated(autoCreate: AutoCreate, request: Request, submit: () => void, respond: Respond): void {
    autoCreate
      .forSender(this.#entityPath)
      .then(submit)
      .catch((error: unknown) => {
        if (error instanceof ServiceBusError) respond(this.#refusal(request, error));
        else this.#faulted(error);
      });
  }

  #submit(operation: PreparedOperation, parts: OperationParts, attempt = 1): void {
    const { command } = operation;
    const { membership } = parts;
    const again =
      command.kind === 'peek' && attempt < MAX_PEEKS
        ? () => this.#submit(operation, parts, attempt + 1)
        : undefined;
    const requester: Requester = {
      origin: this.#origin,
      completed: (_tag, result) => {
        if (membership !== undefined && result.kind === 'failed') {
          this.#transactions.refused(membership, result.error.reason);
        }
        this.#completed(operation, result, parts, again);
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

  /** `again` submits the operation once more; undefined if it must not be repeated. */
  #completed(
    operation: PreparedOperation,
    result: Result,
    { respond, room }: OperationParts,
    again: (() => void) | undefined,
  ): void {
    switch (result.kind) {
      case 'failed':
        respond(this.#failure(result.error));
        return;
      case 'messages':
        this.#respondOnceRead(
          readMessages(this.#engine, result.messages, room),
          operation,
          respond,
          (messages) => {
            const isUnreadable = messages.length === 0 && result.messages.length > 0;
            if (!isUnreadable) respond(operation.response({ kind: 'messages', messages }));
            else if (again === undefined) respond(this.#failure(becameDeadLetters(this.#entityPath)));
            else again(); // the messages have left the store, or can be read now
          },
        );
        return;
      case 'session-state':
        this.#respondOnceRead(readState(this.#engine, result.contentId, room), operation, respond, (state) =>
          respond(operation.response({ kind: 'session-state', state })),
        );
        return;
      default:
        respond(operation.response(result));
    }
  }

  #respondOnceRead<Contents>(
    reading: Promise<Contents>,
    operation: PreparedOperation,
    respond: Respond,
    answer: (contents: Contents) => void,
  ): void {
    reading.then(answer).catch((cause: unknown) => {
      if (cause instanceof ContentUnreadable) {
        respond(this.#failure(this.#stateUnreadable(operation, cause)));
        return;
      }
      respond(this.#failure(unreadable(this.#entityPath)));
      if (!(cause instanceof ClientGone)) this.#faulted(cause);
    });
  }

  /** The state stays until the application replaces it. If we answered null, the application would believe that the session is new. */
  #stateUnreadable({ command }: PreparedOperation, { seen }: ContentUnreadable): ServiceBusError {
    const sessionId = command.kind === 'get-session-state' ? command.session.sessionId : '';
    const state = `The state of session ${JSON.stringify(sessionId)} of '${this.#entityPath}' cannot be read: ${seen}.`;
    this.#engine.noteFault(`${state} A receiver that asks for it gets an error until it sets another.`);
    // SDKs retry an internal error, and not this one.
    return new ServiceBusError('not-allowed', `${state} Set another state, or clear it with null.`, {
      entityPath: this.#entityPath,
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

function becameDeadLetters(entityPath: string): ServiceBusError {
  const text =
    'The messages are in the dead-letter queue now, because their contents cannot be read; the log of the emulator says why.';
  return new ServiceBusError('message-not-found', text, { entityPath });
}

/**
 * Reads all contents at the same time once there is room for them, and leaves out messages whose contents cannot be read. Must be called
 * while the result is handled, like `readState`: contents that its turn has removed are retained only until then.
 */
async function readMessages(
  engine: Engine,
  found: readonly FoundMessage[],
  room: AnswerRoom,
): Promise<readonly ReadMessage[]> {
  const ready = roomFor(
    engine,
    found.map(({ contentId }) => contentId),
    room,
  );
  const messages = found.map(async (message): Promise<ReadMessage | undefined> => {
    const content = await engine.readMessage(message, ready);
    return content === undefined ? undefined : { ...message, content };
  });
  return (await Promise.all(messages)).filter((message) => message !== undefined);
}

async function readState(
  engine: Engine,
  contentId: number | undefined,
  room: AnswerRoom,
): Promise<Uint8Array | undefined> {
  return contentId === undefined
    ? undefined
    : engine.readContent(contentId, roomFor(engine, [contentId], room));
}

/** Room for contents and for the answer that repeats them; undefined if the usual room suffices. */
function roomFor(engine: Engine, contentIds: readonly number[], room: AnswerRoom): Promise<void> | undefined {
  const bytes = 2 * contentIds.reduce((sum, contentId) => sum + engine.contentBytes(contentId), 0);
  return bytes <= LARGE_ANSWER_BYTES ? undefined : room(bytes);
}
