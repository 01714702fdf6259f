// One `$management` operation without an emulator: the command that it makes of a request, and the answer that it writes.

import type {
  Answer,
  ManagementOperation,
  PreparedOperation,
} from '../../../src/amqp/management/management-operation.js';
import { readRequest, writeResponse } from '../../../src/amqp/request-message.js';
import type { Encoded } from '../../support/frame-encoder.js';
import { ReceivedMessage, section } from '../../support/frame-message.js';
import { notation } from '../../support/frame-notation.js';
import { type Body, bodyOf } from './management-client.js';

export const entityPath = 'orders';
export const connectionId = 4;

export function ask(operation: ManagementOperation, body: Body | Encoded): PreparedOperation {
  const encoded = Buffer.isBuffer(body) ? body : bodyOf(body);
  const { body: value, encodedBody } = readRequest(section('value', encoded));
  return operation({ entityPath, connectionId, body: value, encodedBody });
}

export function respond(operation: ManagementOperation, body: Body, answer: Answer): ReceivedMessage {
  const request = readRequest(section('value', bodyOf(body)));
  return new ReceivedMessage(writeResponse(request, ask(operation, body).response(answer)));
}

/** `status condition body`. */
export function written(operation: ManagementOperation, body: Body, answer: Answer): string {
  const response = respond(operation, body, answer);
  const property = (name: string) => notation(response.entry('applicationProperties', name));
  const status = property('statusCode').replace('int ', '');
  return `${status} ${property('errorCondition')} ${notation(response.section('value')?.value)}`;
}
