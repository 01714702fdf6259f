// Rules of subscriptions: got, added, changed and removed.

import { subscriptionPathOf } from '../../broker/entity/entity-path.js';
import type { Result } from '../../broker/result.js';
import { expectResult } from '../broker-answers.js';
import { type AdminCall, isUpdate, readContent } from './admin-call.js';
import type { RuleResource } from './admin-resource.js';
import { entryResponse } from './atom.js';
import { readRule } from './rule-xml.js';
import { RULE_ELEMENT, toldRule } from './told-entities.js';

export async function getRule(resource: RuleResource, call: AdminCall): Promise<Response> {
  const [rules, found] = await Promise.all(asked(resource, call));
  return tell(rules, found, call, 200);
}

export async function deleteRule(resource: RuleResource, { context }: AdminCall): Promise<Response> {
  const { name } = resource;
  expectResult(await context.engine.ask({ kind: 'remove-rule', entityPath: pathOf(resource), name }), 'done');
  return new Response(null, { status: 200 });
}

export async function putRule(resource: RuleResource, call: AdminCall): Promise<Response> {
  const rule = readRule(resource.name, await readContent(call, [RULE_ELEMENT]));
  const kind = isUpdate(call) ? 'update-rule' : 'add-rule';
  const [put, rules, found] = await Promise.all([
    call.context.engine.ask({ kind, entityPath: pathOf(resource), rule }),
    ...asked(resource, call),
  ]);
  expectResult(put, 'done');
  return tell(rules, found, call, kind === 'add-rule' ? 201 : 200);
}

/** The rule, and where it is, with names as they were given when it was created. */
function asked(resource: RuleResource, { context }: AdminCall): [Promise<Result>, Promise<Result>] {
  const entityPath = pathOf(resource);
  return [
    context.engine.ask({ kind: 'get-rule', entityPath, name: resource.name }),
    context.engine.ask({ kind: 'find-entity', entityPath }),
  ];
}

function tell(rules: Result, found: Result, { url }: AdminCall, status: number): Response {
  const [rule] = expectResult(rules, 'rules').rules;
  if (rule === undefined) throw new Error('the broker found a rule and told nothing of it');
  return entryResponse(toldRule(rule, expectResult(found, 'entity').path), url, status);
}

function pathOf({ topicName, subscriptionName }: RuleResource): string {
  return subscriptionPathOf(topicName, subscriptionName);
}
