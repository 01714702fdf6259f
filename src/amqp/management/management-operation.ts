// The shape of one management operation: what it asks of the broker, and how the result looks on the wire.

import type { Command } from '../../broker/command.js';
import type { Result } from '../../broker/result.js';
import type { AmqpValue } from '../../codec/types.js';
import type { Response } from '../request-message.js';

export type ManagementOperation = {
  /** Throws ServiceBusError (`argument`) when the body is not what the operation takes. */
  command(body: AmqpValue | undefined, entityPath: string): Command;
  response(result: Exclude<Result, { kind: 'failed' }>): Response;
};

export const OK = { status: 200, description: 'OK' } as const;
