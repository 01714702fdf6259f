// Runs a request of the administration, and words its errors as the ATOM protocol does.

import { subscriptionPathOf } from '../../broker/entities/entity-path.js';
import { ServiceBusError } from '../../broker/service-bus-error.js';
import { ValueError } from '../../description/value-error.js';
import {
  administrationError,
  type RequestErrorContext,
  RequestProblem,
  requestError,
} from '../error-response.js';
import type { AnswerCall, RoutedCall, RouteNames } from '../http-context.js';
import { answerFaultable } from '../http-faults.js';
import { XmlError } from '../xml/xml-element.js';
import { TopicRefused } from './entity-calls.js';
import { answerNoHost, entityTagOf, findHost, type HostEntity, refusePart } from './host-entity.js';

export async function answerAdministration(answer: AnswerCall, call: RoutedCall): Promise<Response> {
  const host = await findHost(call);
  const response = await answerOrRefuse(answer, call, host);
  if (host !== undefined) response.headers.set('etag', entityTagOf(host));
  return response;
}

async function answerOrRefuse(
  answer: AnswerCall,
  call: RoutedCall,
  host: HostEntity | undefined,
): Promise<Response> {
  try {
    if (host !== undefined) refusePart(call);
    return await answerFaultable(answer, call, 'administration');
  } catch (error) {
    if (host === undefined && isNotFound(error) && call.request.method === 'GET') return answerNoHost(call);
    return refusal(error, call);
  }
}

function isNotFound(error: unknown): boolean {
  return error instanceof ServiceBusError && error.reason === 'entity-not-found';
}

/** The entity of a request, or the one that contains it; undefined for the namespace. */
function entityPathOf({ entity, topic, subscription }: RouteNames): string | undefined {
  if (entity !== '') return entity;
  if (topic === '') return undefined;
  return subscription === '' ? topic : subscriptionPathOf(topic, subscription);
}

/** The answer to a client's mistake. Rethrows all other errors. */
function refusal(error: unknown, call: RoutedCall, isTopic = false): Response {
  if (error instanceof TopicRefused) return refusal(error.cause, call, true);
  const context = { ...call.errorContext, entityPath: entityPathOf(call.names), isTopic };
  if (error instanceof ServiceBusError) {
    return administrationError(withEntityPath(error, context), context, subCodeOf(error, call));
  }
  if (error instanceof RequestProblem)
    return requestError(error.status, error.message, context, error.headers);
  if (error instanceof ValueError) return requestError(400, `SubCode=40000. ${error.message}.`, context);
  if (error instanceof XmlError) {
    return requestError(400, `SubCode=40000. The body is not as it must be: ${error.message}.`, context);
  }
  throw error;
}

/** The sub-codes that the reason of an error alone does not show. */
function subCodeOf({ reason, data }: ServiceBusError, { request, names }: RoutedCall): number | undefined {
  const isNoDestination = data.about === 'forwarding' && reason === 'argument';
  const isNoneToUpdate = reason === 'entity-not-found' && request.method === 'PUT' && names.entity !== '';
  return isNoDestination || isNoneToUpdate ? 40400 : undefined;
}

/** Sets the requested entity, because the broker may name its topic or rule. The text about a missing or existing entity already contains it. */
function withEntityPath(error: ServiceBusError, { entityPath }: RequestErrorContext): ServiceBusError {
  const { reason, message, data } = error;
  const isNamed = reason === 'entity-not-found' || reason === 'entity-already-exists';
  return isNamed ? error : new ServiceBusError(reason, message, { ...data, entityPath });
}
