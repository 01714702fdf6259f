// Runs a request of the administration, and words its errors as the ATOM protocol does.

import { XmlError } from '../../atom/xml/xml-element.js';
import { subscriptionPathOf } from '../../broker/contract/entities/entity-path.js';
import { ServiceBusError } from '../../broker/contract/service-bus-error.js';
import { ValueError } from '../../description/value-error.js';
import {
  administrationError,
  type RequestErrorContext,
  RequestProblem,
  requestError,
  subCodeOf,
} from '../error-response.js';
import { type AnswerCall, type RoutedCall, type RouteNames, USUAL_ANSWER_BYTES } from '../http-context.js';
import { answerFaultable } from '../http-faults.js';
import { TopicRefused } from './entity-calls.js';
import { entityTagOf, findHost, type HostEntity, refusePart } from './host-entity.js';
import { listServices } from './namespace-calls.js';

/** The sub-code if something that the request needs does not exist. The reason of the error alone does not show this. */
const NOTHING_THERE = 40400;

export async function answerAdministration(answer: AnswerCall, call: RoutedCall): Promise<Response> {
  await call.share.take(USUAL_ANSWER_BYTES);
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
    // Every SDK reads it as not found. Who only asks whether an entity is there is not refused anything.
    if (host === undefined && isNotFound(error) && call.request.method === 'GET') return listServices(call);
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
    return administrationError(withEntityPath(error, context), context, subCodeFor(error, call));
  }
  if (error instanceof RequestProblem)
    return requestError(error.status, error.message, context, error.headers);
  const subCode = isInTopic(call) ? '' : `SubCode=${subCodeOf('argument')}. `;
  if (error instanceof ValueError) return requestError(400, `${subCode}${error.message}.`, context);
  if (error instanceof XmlError) {
    return requestError(400, `${subCode}The body is not valid: ${error.message}.`, context);
  }
  throw error;
}

/** The service gives no sub-codes for subscriptions and rules. */
function isInTopic({ names }: RoutedCall): boolean {
  return names.topic !== '';
}

function subCodeFor({ reason, data }: ServiceBusError, call: RoutedCall): number | undefined {
  if (isInTopic(call)) return undefined;
  const isNoDestination = data.about === 'forwarding' && reason === 'argument';
  const isNoneToUpdate = reason === 'entity-not-found' && call.request.method === 'PUT';
  return isNoDestination || isNoneToUpdate ? NOTHING_THERE : subCodeOf(reason);
}

/** Names the requested entity, because the broker may name its topic or rule instead. The text about a missing or existing entity already names it. */
function withEntityPath(error: ServiceBusError, { entityPath }: RequestErrorContext): ServiceBusError {
  const { reason, message, data } = error;
  const isNamed = reason === 'entity-not-found' || reason === 'entity-already-exists';
  return isNamed ? error : new ServiceBusError(reason, message, { ...data, entityPath });
}
