// The administration of entities: the ATOM protocol of every SDK.

import { subscriptionPathOf } from '../../broker/entity/entity-path.js';
import { ServiceBusError } from '../../broker/service-bus-error.js';
import { ValueError } from '../../description/value-error.js';
import { type Asked, administrationError, requestError } from '../error-response.js';
import type { HttpCall } from '../http-call.js';
import type { HttpContext } from '../http-context.js';
import { RequestProblem } from '../request-problem.js';
import { XmlError } from '../xml/xml-error.js';
import type { AdminCall } from './admin-call.js';
import { type AdminResource, readResource } from './admin-resource.js';
import { deleteEntity, getEntity, putQueueOrTopic, TopicRefused } from './entity-calls.js';
import { listAll } from './list-calls.js';
import { tellServices } from './listed-services.js';
import { tellNamespace } from './namespace-info.js';
import { deleteRule, getRule, putRule } from './rule-calls.js';
import { deleteSubscription, getSubscription, putSubscription } from './subscription-calls.js';

type Answer = (call: AdminCall) => Promise<Response> | Response;
type Methods = Readonly<Record<string, Answer>>;

export async function answerAdministration(call: HttpCall, context: HttpContext): Promise<Response> {
  const resource = readResource(call.path);
  if (resource === undefined) {
    return requestError(404, `No service is hosted at '${call.url.pathname.slice(0, 300)}'.`, call.asked);
  }
  try {
    return await answer(resource, { ...call, context });
  } catch (error) {
    return refusal(error, { ...call.asked, entityPath: entityPathOf(resource) });
  }
}

async function answer(resource: AdminResource, call: AdminCall): Promise<Response> {
  const methods = methodsOf(resource);
  const { method } = call.request;
  const perform = Object.hasOwn(methods, method) ? methods[method] : undefined;
  if (perform !== undefined) return perform(call);
  const allowed = Object.keys(methods).join(', ');
  throw new RequestProblem(405, `${method.slice(0, 20)} is not possible here; there is ${allowed}.`, {
    allow: allowed,
  });
}

function methodsOf(resource: AdminResource): Methods {
  switch (resource.kind) {
    case 'services':
      return { GET: tellServices };
    case 'namespace':
      return { GET: tellNamespace };
    case 'queues':
    case 'topics':
    case 'subscriptions':
    case 'rules':
      return { GET: (call) => listAll(resource, call) };
    case 'entity':
      return {
        GET: (call) => getEntity(resource, call),
        PUT: (call) => putQueueOrTopic(resource, call),
        DELETE: (call) => deleteEntity(resource, call),
      };
    case 'subscription':
      return {
        GET: (call) => getSubscription(resource, call),
        PUT: (call) => putSubscription(resource, call),
        DELETE: (call) => deleteSubscription(resource, call),
      };
    case 'rule':
      return {
        GET: (call) => getRule(resource, call),
        PUT: (call) => putRule(resource, call),
        DELETE: (call) => deleteRule(resource, call),
      };
    default:
      return resource satisfies never;
  }
}

/** The entity that it is, or is in; undefined: that is the namespace. */
function entityPathOf(resource: AdminResource): string | undefined {
  switch (resource.kind) {
    case 'services':
    case 'namespace':
    case 'queues':
    case 'topics':
      return undefined;
    case 'entity':
      return resource.name;
    case 'subscriptions':
      return resource.topicName;
    case 'subscription':
      return subscriptionPathOf(resource.topicName, resource.name);
    case 'rules':
    case 'rule':
      return subscriptionPathOf(resource.topicName, resource.subscriptionName);
    default:
      return resource satisfies never;
  }
}

/** Rethrows what is no mistake of the client's. */
function refusal(error: unknown, asked: Asked): Response {
  if (error instanceof TopicRefused) return refusal(error.cause, { ...asked, isTopic: true });
  if (error instanceof ServiceBusError) return administrationError(aboutWhatIsAsked(error, asked), asked);
  if (error instanceof RequestProblem) return requestError(error.status, error.message, asked, error.headers);
  if (error instanceof ValueError) return requestError(400, `SubCode=40000. ${error.message}.`, asked);
  if (error instanceof XmlError) {
    return requestError(400, `SubCode=40000. The body is not as it must be: ${error.message}.`, asked);
  }
  throw error;
}

/** The broker names the topic or the rule that a mistake is in; what is missing, or there already, is in the sentence as well. */
function aboutWhatIsAsked(error: ServiceBusError, { entityPath }: Asked): ServiceBusError {
  const { reason, message, data } = error;
  const isNamed = reason === 'entity-not-found' || reason === 'entity-already-exists';
  return isNamed ? error : new ServiceBusError(reason, message, { ...data, entityPath });
}
