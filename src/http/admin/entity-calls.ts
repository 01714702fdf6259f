// Answers GET, PUT and DELETE of queues, topics and subscriptions. Queues and topics share their paths.

import {
  DEFAULT_RULE_ELEMENT,
  QUEUE_ELEMENTS,
  SUBSCRIPTION_ELEMENTS,
  TOPIC_ELEMENTS,
} from '../../atom/entity-elements.js';
import { readDescription } from '../../atom/read-description.js';
import { readRuleXml } from '../../atom/rule-xml.js';
import { childNamed, elementText, type XmlElement } from '../../atom/xml/xml-element.js';
import {
  type DescribedEntity,
  type EntityDescription,
  type EntityType,
  FIXED_PROPERTIES,
  type FixedProperty,
} from '../../broker/contract/entities/entity.js';
import { subscriptionPathOf } from '../../broker/contract/entities/entity-path.js';
import { describeQueue } from '../../broker/contract/entities/queue-description.js';
import { describeSubscription, describeTopic } from '../../broker/contract/entities/topic-description.js';
import type { EntityInfo } from '../../broker/contract/result.js';
import { DEFAULT_RULE, type RuleDescription } from '../../broker/contract/rule-description.js';
import { named } from '../../description/value-error.js';
import { expectResult, type RoutedCall } from '../http-context.js';
import { atomContextOf, isUpdate, readContent } from './admin-call.js';
import { entryResponse } from './atom.js';
import { entityEntry } from './entity-entries.js';
import { checkMessageSize, type Sizes, storedSizes } from './entity-sizes.js';
import { requireForwardingAccess } from './forwarding-access.js';

export async function answerGetEntity(call: RoutedCall): Promise<Response> {
  return entryResponse(entityEntry(await getEntity(requestedPath(call), call), atomContextOf(call)), call);
}

export async function answerDeleteEntity(call: RoutedCall): Promise<Response> {
  const entityPath = requestedPath(call);
  expectResult(await call.context.engine.ask({ kind: 'delete-entity', entityPath }), 'done');
  return new Response(null, { status: 200 });
}

function requestedPath({ names: { entity, topic, subscription } }: RoutedCall): string {
  return subscription === '' ? entity : subscriptionPathOf(topic, subscription);
}

async function getEntity(entityPath: string, { context }: RoutedCall): Promise<EntityInfo> {
  return expectResult(await context.engine.ask({ kind: 'get-entity', entityPath }), 'entity-info').entity;
}

/** The refusal of a topic, in `cause`. Only the description in the request shows that the entity is a topic. */
export class TopicRefused extends Error {
  constructor(cause: unknown) {
    super('a topic was refused', { cause });
  }
}

/** Creates or changes an entity. The description in the body decides whether it is a queue or a topic. */
export async function answerPutEntity(call: RoutedCall): Promise<Response> {
  const name = call.names.entity;
  const element = await readContent(call, [QUEUE_ELEMENTS.element, TOPIC_ELEMENTS.element]);
  if (element.localName === QUEUE_ELEMENTS.element) return putQueue(name, element, call);
  try {
    return await put(call, { path: name }, (before) => ({
      type: 'topic',
      description: describeTopic(name, {
        ...unchanged('topic', before),
        ...withSizes(() => readDescription(TOPIC_ELEMENTS, element), element, before, call),
      }),
    }));
  } catch (error) {
    throw new TopicRefused(error);
  }
}

export async function answerPutSubscription(call: RoutedCall): Promise<Response> {
  const { topic: topicName, subscription: name } = call.names;
  const element = await readContent(call, [SUBSCRIPTION_ELEMENTS.element, QUEUE_ELEMENTS.element]);
  // The name of a queue may have the form of this path.
  if (element.localName === QUEUE_ELEMENTS.element) return putQueue(call.path.join('/'), element, call);
  const read = readDescription(SUBSCRIPTION_ELEMENTS, element);
  const rules = readFirstRule(element);
  return put(call, { path: requestedPath(call), rules }, (before) => ({
    type: 'subscription',
    topicName,
    description: describeSubscription(name, { ...unchanged('subscription', before), ...read }),
  }));
}

function putQueue(name: string, element: XmlElement, call: RoutedCall): Promise<Response> {
  return put(call, { path: name }, (before) => ({
    type: 'queue',
    description: describeQueue(name, {
      ...unchanged('queue', before),
      ...withSizes(() => readDescription(QUEUE_ELEMENTS, element), element, before, call),
    }),
  }));
}

type Fixed = Partial<Record<FixedProperty, boolean>>;

type Put = {
  readonly path: string;
  readonly rules?: readonly RuleDescription[] | undefined;
};

/** `describe` makes the new description, given the one of the existing entity, and throws if it cannot be read. */
async function put(
  call: RoutedCall,
  { path, rules }: Put,
  describe: (before: EntityDescription | undefined) => DescribedEntity,
): Promise<Response> {
  const found = isUpdate(call) ? await getEntity(path, call) : undefined;
  const entity = describe(found?.description);
  await requireForwardingAccess(entity.description, found?.description, call);
  const [expected, status] = found === undefined ? (['absent', 201] as const) : (['present', 200] as const);
  const answer = await call.context.engine.ask({ kind: 'put-entity', ...entity, rules, expected });
  const info = expectResult(answer, 'entity-info').entity;
  return entryResponse(entityEntry(info, atomContextOf(call)), call, status);
}

/** The properties of a queue or topic with the sizes to store. */
function withSizes<Read extends Partial<Sizes>>(
  read: () => Read,
  element: XmlElement,
  before: EntityDescription | undefined,
  call: RoutedCall,
): Read & Partial<Sizes> {
  const context = atomContextOf(call);
  const sizes = before !== undefined && 'maxSizeInMegabytes' in before ? before : undefined;
  checkMessageSize(element, sizes, context); // first, because the later check of the range of all tiers has another text
  const given = read();
  return { ...given, ...storedSizes(given, sizes, context) };
}

/** The properties that an update keeps when it leaves them out; all others get their defaults. */
function unchanged(type: EntityType, before: (Pick<EntityDescription, 'name'> & Fixed) | undefined): Fixed {
  if (before === undefined) return {};
  return Object.fromEntries(FIXED_PROPERTIES[type].map((field) => [field, before[field]]));
}

/** TOP-02: this rule replaces the default rule, which matches everything. */
function readFirstRule(description: XmlElement): readonly RuleDescription[] | undefined {
  const given = childNamed(description, DEFAULT_RULE_ELEMENT);
  if (given === undefined) return undefined;
  const name = childNamed(given, 'Name');
  const text = name === undefined ? '' : elementText(name).trim();
  return [named(DEFAULT_RULE_ELEMENT, () => readRuleXml(text === '' ? DEFAULT_RULE.name : text, given))];
}
