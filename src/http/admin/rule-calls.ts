// Answers GET, PUT and DELETE of rules.

import { RULE_ELEMENT } from '../../atom/entity-elements.js';
import { readRuleXml } from '../../atom/rule-xml.js';
import { subscriptionPathOf } from '../../broker/contract/entities/entity-path.js';
import type { Result } from '../../broker/contract/result.js';
import { expectResult, type RoutedCall, type RouteNames } from '../http-context.js';
import { isUpdate, readContent } from './admin-call.js';
import { entryResponse } from './atom.js';
import { ruleEntry } from './entity-entries.js';

export async function answerGetRule(call: RoutedCall): Promise<Response> {
  return ruleResponse(await readRule(call), call, 200);
}

export async function answerDeleteRule({ names, context }: RoutedCall): Promise<Response> {
  const name = names.rule;
  expectResult(await context.engine.ask({ kind: 'remove-rule', entityPath: pathOf(names), name }), 'done');
  return new Response(null, { status: 200 });
}

export async function answerPutRule(call: RoutedCall): Promise<Response> {
  const rule = readRuleXml(call.names.rule, await readContent(call, [RULE_ELEMENT]));
  const kind = isUpdate(call) ? 'update-rule' : 'add-rule';
  const [put, rules] = await Promise.all([
    call.context.engine.ask({ kind, entityPath: pathOf(call.names), rule }),
    readRule(call),
  ]);
  expectResult(put, 'done');
  return ruleResponse(rules, call, kind === 'add-rule' ? 201 : 200);
}

function readRule({ names, context }: RoutedCall): Promise<Result> {
  return context.engine.ask({ kind: 'get-rule', entityPath: pathOf(names), name: names.rule });
}

function ruleResponse(rules: Result, call: RoutedCall, status: number): Response {
  const [rule] = expectResult(rules, 'rules').rules;
  if (rule === undefined) throw new Error('the broker found a rule and returned nothing');
  return entryResponse(ruleEntry(rule), call, status);
}

function pathOf({ topic, subscription }: RouteNames): string {
  return subscriptionPathOf(topic, subscription);
}
