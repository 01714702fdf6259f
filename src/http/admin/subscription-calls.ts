// Subscriptions: got, created with their first rule, changed and deleted.

import { describeSubscription } from '../../broker/entity/topic-description.js';
import type { Result, SubscriptionInfo } from '../../broker/result.js';
import type { RuleDescription } from '../../broker/rules/rule-description.js';
import { DEFAULT_RULE } from '../../broker/rules/rule-description.js';
import { named } from '../../description/value-error.js';
import { expectResult } from '../broker-answers.js';
import { childNamed, textOf, type XmlElement } from '../xml/xml-element.js';
import { type AdminCall, placeOf, readContent } from './admin-call.js';
import type { SubscriptionResource } from './admin-resource.js';
import { entryResponse } from './atom.js';
import { keptOf, type Putting, putEntity } from './put-entity.js';
import { readDescription } from './read-description.js';
import { readRule } from './rule-xml.js';
import { DEFAULT_RULE_ELEMENT, SUBSCRIPTION_KIND } from './subscription-kind.js';
import { toldSubscription } from './told-entities.js';

export async function getSubscription(
  { topicName, name }: SubscriptionResource,
  call: AdminCall,
): Promise<Response> {
  const found = await call.context.engine.ask({ kind: 'get-subscription-info', topicName, name });
  return entryResponse(toldSubscription(infoOf(found), placeOf(call)), call.url);
}

export async function deleteSubscription(
  { topicName, name }: SubscriptionResource,
  { context }: AdminCall,
): Promise<Response> {
  expectResult(await context.engine.ask({ kind: 'delete-subscription', topicName, name }), 'done');
  return new Response(null, { status: 200 });
}

export async function putSubscription(
  { topicName, name }: SubscriptionResource,
  call: AdminCall,
): Promise<Response> {
  const element = await readContent(call, [SUBSCRIPTION_KIND.element]);
  const read = readDescription(SUBSCRIPTION_KIND, element);
  const rule = readFirstRule(element);
  const rules = rule === undefined ? undefined : [rule];
  const subscription: Putting<SubscriptionInfo> = {
    find: { kind: 'get-subscription-info', topicName, name },
    describe: (before) => describeSubscription(name, { ...keptOf(before, SUBSCRIPTION_KIND.fixed), ...read }),
    put: (description, expected) => ({ kind: 'put-subscription', topicName, description, rules, expected }),
    infoOf,
    tell: toldSubscription,
  };
  return putEntity(subscription, call);
}

function infoOf(answer: Result): SubscriptionInfo {
  return expectResult(answer, 'subscription-info').subscription;
}

/** TOP-02: it takes the place of the one that matches everything. */
function readFirstRule(description: XmlElement): RuleDescription | undefined {
  const given = childNamed(description, DEFAULT_RULE_ELEMENT);
  if (given === undefined) return undefined;
  const name = childNamed(given, 'Name');
  const text = name === undefined ? '' : textOf(name).trim();
  return named(DEFAULT_RULE_ELEMENT, () => readRule(text === '' ? DEFAULT_RULE.name : text, given));
}
