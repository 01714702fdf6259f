// The `$management` node of an entity: finds the operation a request names and answers with its result.

import type { Result } from '../../broker/result.js';
import { ServiceBusError } from '../../broker/service-bus-error.js';
import type { Engine } from '../../engine/engine.js';
import { amqpErrorOf, type ErrorContext, statusOf } from '../error-condition.js';
import type { RequestNode } from '../request-links.js';
import type { Request, Response } from '../request-message.js';
import type { ManagementOperation } from './management-operation.js';
import { renewLock } from './renew-lock.js';

const OPERATIONS: ReadonlyMap<string, ManagementOperation> = new Map([
  ['com.microsoft:renew-lock', renewLock],
]);

/** Of an operation nobody knows, as much as is told back. */
const MAX_NAME_LENGTH = 100;

export class ManagementNode implements RequestNode {
  readonly name: string;
  readonly #engine: Engine;
  readonly #entityPath: string;
  readonly #context: ErrorContext;
  readonly #faulted: (cause: unknown) => void;

  constructor(engine: Engine, entityPath: string, context: ErrorContext, faulted: (cause: unknown) => void) {
    this.#faulted = faulted;
    this.name = `${entityPath.toLowerCase()}/$management`;
    this.#engine = engine;
    this.#entityPath = entityPath;
    this.#context = context;
  }

  answer(request: Request, respond: (response: Response) => void): void {
    const operation = OPERATIONS.get(request.operation ?? '');
    if (operation === undefined) {
      respond(this.#failure(this.#unknownOperation(request)));
      return;
    }
    try {
      const command = operation.command(request.body, this.#entityPath);
      const requester = {
        completed: (_tag: number, result: Result) =>
          respond(result.kind === 'failed' ? this.#failure(result.error) : operation.response(result)),
        faulted: this.#faulted,
      };
      this.#engine.submit(command, requester, 0);
    } catch (error) {
      if (!(error instanceof ServiceBusError)) throw error;
      respond(this.#failure(error));
    }
  }

  #unknownOperation(request: Request): ServiceBusError {
    const named = JSON.stringify(request.operation?.slice(0, MAX_NAME_LENGTH) ?? null);
    const known = [...OPERATIONS.keys()].join(', ');
    return new ServiceBusError(
      'not-implemented',
      `The operation ${named} is not there yet, or not known. There is: ${known}.`,
      this.#entityPath,
    );
  }

  #failure(error: ServiceBusError): Response {
    const { condition, description = '' } = amqpErrorOf(error, this.#context);
    return { status: statusOf(error), description, condition };
  }
}
