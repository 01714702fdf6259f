// Subscriptions: got, created with their first rule, changed and deleted.

import { subscriptionPathOf } from '../../broker/entity/entity-path.js';
import { describeSubscription } from '../../broker/entity/topic-description.js';
import type { Result, SubscriptionInfo } from '../../broker/result.js';
import type { RuleDescription } from '../../broker/rules/rule-description.js';
import { DEFAULT_RULE } from '../../broker/rules/rule-description.js';
import { named } from '../../description/value-error.js';
import { expectResult } from '../broker-answers.js';
import { requireForwardingAccess } from '../forwarding-access.js';
import { childNamed, textOf, type XmlElement } from '../xml/xml-element.js';
import { type AdminCall, isUpdate, placeOf, readContent } from './admin-call.js';
import type { SubscriptionResource } from './admin-resource.js';
import { entryResponse } from './atom.js';
import { readDescription } from './read-description.js';
import { readRule } from './rule-xml.js';
import { DEFAULT_RULE_ELEMENT, SUBSCRIPTION_KIND } from './subscription-kind.js';
import { toldSubscription } from './told-entities.js';

export async function getSubscription(resource: SubscriptionResource, call: AdminCall): Promise<Response> {
  const [info, topic] = await Promise.all(asked(resource, call));
  return tell(info, topic, call, 200);
}

export async function deleteSubscription(
  { topicName, name }: SubscriptionResource,
  { context }: AdminCall,
): Promise<Response> {
  expectResult(await context.engine.ask({ kind: 'delete-subscription', topicName, name }), 'done');
  return new Response(null, { status: 200 });
}

export async function putSubscription(resource: SubscriptionResource, call: AdminCall): Promise<Response> {
  const { topicName, name } = resource;
  const { engine } = call.context;
  const element = await readContent(call, [SUBSCRIPTION_KIND.element]);
  const read = readDescription(SUBSCRIPTION_KIND, element);
  const rule = readFirstRule(element);
  const before = isUpdate(call) ? await presentDescription(resource, call) : undefined;
  const kept = before === undefined ? {} : { requiresSession: before.requiresSession };
  const description = describeSubscription(name, { ...kept, ...read });
  await requireForwardingAccess(description, before, call);
  const [put, info, topic] = await Promise.all([
    engine.ask({
      kind: 'put-subscription',
      topicName,
      description,
      rules: rule === undefined ? undefined : [rule],
      expected: before === undefined ? 'absent' : 'present',
    }),
    ...asked(resource, call),
  ]);
  expectResult(put, 'done');
  return tell(info, topic, call, before === undefined ? 201 : 200);
}

/** TOP-02: it takes the place of the one that matches everything. */
function readFirstRule(description: XmlElement): RuleDescription | undefined {
  const given = childNamed(description, DEFAULT_RULE_ELEMENT);
  if (given === undefined) return undefined;
  const name = childNamed(given, 'Name');
  const text = name === undefined ? '' : textOf(name).trim();
  return named(DEFAULT_RULE_ELEMENT, () => readRule(text === '' ? DEFAULT_RULE.name : text, given));
}

async function presentDescription(
  { topicName, name }: SubscriptionResource,
  { context }: AdminCall,
): Promise<SubscriptionInfo['description']> {
  const info = await context.engine.ask({ kind: 'get-subscription-info', topicName, name });
  return expectResult(info, 'subscription-info').subscription.description;
}

/** The subscription, and where it is, with names as they were given when it was created. */
function asked(
  { topicName, name }: SubscriptionResource,
  { context }: AdminCall,
): [Promise<Result>, Promise<Result>] {
  const entityPath = subscriptionPathOf(topicName, name);
  return [
    context.engine.ask({ kind: 'get-subscription-info', topicName, name }),
    context.engine.ask({ kind: 'find-entity', entityPath }),
  ];
}

function tell(info: Result, found: Result, call: AdminCall, status: number): Response {
  const { subscription } = expectResult(info, 'subscription-info');
  const [topicName = ''] = expectResult(found, 'entity').path.split(/\/subscriptions\//i);
  return entryResponse(toldSubscription(subscription, topicName, placeOf(call)), call.url, status);
}
