// Creates, changes or deletes one entity or rule, and says what stands in the way.

import { FIXED_PROPERTIES } from '../../broker/contract/entities/entity.js';
import type { RuleDescription } from '../../broker/contract/rule-description.js';
import { filterText } from '../../broker/rules/filter-text.js';
import type { AdminClient, AdministeredEntity } from '../../client/admin-client.js';
import { type PropertyDifference, propertyDifferences } from '../../description/property-differences.js';
import { suggestion } from '../../description/suggestion.js';
import { isOfKind, JitneyError } from '../../jitney-error.js';
import type { Confirm } from '../output/confirm.js';
import { usageError } from '../output/error-report.js';
import { countOf } from '../output/output.js';
import type { Change } from './entity-commands.js';
import { type Named, type NamedEntity, type NamedRule, nameOf } from './read-specs.js';

export type Done = { readonly differences: readonly Difference[] };

type Difference = Pick<PropertyDifference, 'name' | 'before' | 'after'>;

type Manner = {
  readonly change: Change;
  /** Whether to leave what exists without a word. */
  readonly leavesExisting: boolean;
  /** Whether messages are deleted without a question. */
  readonly isSure: boolean;
  readonly confirm: Confirm | undefined;
  /** The options that lead to the service, to repeat in a printed command. */
  readonly options: string;
};

const NOTHING: Done = { differences: [] };

/** Resolves with undefined if nothing was done and nothing is to be said. Throws a JitneyError. */
export function changeEntity(one: Named, client: AdminClient, manner: Manner): Promise<Done | undefined> {
  return one.type === 'rule' ? changeRule(one, client, manner) : changeNamed(one, client, manner);
}

async function changeNamed(one: NamedEntity, client: AdminClient, manner: Manner): Promise<Done | undefined> {
  const found = await client.get(one.path);
  if (found !== undefined && found.type !== one.type) {
    throw new JitneyError('other-entity', `'${nameOf(one)}' is a ${found.type}, not a ${one.type}`);
  }
  if (manner.change === 'create') return create(one, found, client, manner);
  if (found === undefined) throw await missing(one, client);
  return manner.change === 'update' ? update(one, found, client) : remove(one, found, client, manner);
}

async function create(
  one: NamedEntity,
  found: AdministeredEntity | undefined,
  client: AdminClient,
  { leavesExisting, options }: Manner,
): Promise<Done | undefined> {
  if (found === undefined) {
    await client.create(one.type, one.path, one.given);
    return NOTHING;
  }
  if (leavesExisting) return undefined;
  throw exists(one, propertyDifferences(one.type, found.description, one.wanted), options);
}

async function update(
  one: NamedEntity,
  { description }: AdministeredEntity,
  client: AdminClient,
): Promise<Done> {
  const after = { ...description, ...one.given };
  const differences = propertyDifferences(one.type, description, after);
  const fixed: readonly string[] = FIXED_PROPERTIES[one.type];
  const refused = differences.find(({ field }) => fixed.includes(field));
  if (refused !== undefined) {
    const text = `${refused.name} of the ${one.type} '${nameOf(one)}' is ${refused.before} and cannot change: delete the ${one.type} and create it anew`;
    throw new JitneyError('entity-fixed', text);
  }
  if (differences.length > 0) await client.update(one.type, one.path, one.given);
  return { differences };
}

async function remove(
  one: NamedEntity,
  found: AdministeredEntity,
  client: AdminClient,
  { isSure, confirm }: Manner,
): Promise<Done | undefined> {
  const count = isSure ? 0 : await messageCountOf(found, client);
  if (count > 0) {
    const what = `the ${one.type} '${nameOf(one)}' with its ${countOf(count, 'message')}`;
    if (confirm === undefined) throw usageError(`to delete ${what}, give --yes`);
    if (!(await confirm(`Delete ${what}?`))) return undefined;
  }
  await client.delete(one.path);
  return NOTHING;
}

/** All messages that are deleted with it. A topic counts the messages of its subscriptions and its own scheduled ones. */
async function messageCountOf(
  { type, description, messageCount }: AdministeredEntity,
  client: AdminClient,
): Promise<number> {
  if (type !== 'topic') return messageCount;
  let sum = messageCount;
  for await (const subscription of client.listSubscriptions(description.name))
    sum += subscription.messageCount;
  return sum;
}

async function changeRule(
  one: NamedRule,
  client: AdminClient,
  { change, leavesExisting, options }: Manner,
): Promise<Done | undefined> {
  const { topicName, subscription, name, rule } = one;
  const found = await client.getRule(topicName, subscription, name);
  if (change === 'create' && rule !== undefined) {
    if (found === undefined) {
      await client.createRule(topicName, subscription, rule);
      return NOTHING;
    }
    if (leavesExisting) return undefined;
    throw exists(one, ruleDifferences(found, rule), options);
  }
  if (found === undefined) throw await missing(one, client);
  if (rule === undefined) {
    await client.deleteRule(topicName, subscription, name);
    return NOTHING;
  }
  const differences = ruleDifferences(found, rule);
  if (differences.length > 0) await client.updateRule(topicName, subscription, rule);
  return { differences };
}

function ruleDifferences(before: RuleDescription, after: RuleDescription): readonly Difference[] {
  const parts = ({ filter, action }: RuleDescription) => ({
    filter: filterText(filter),
    action: action?.expression,
  });
  const [ofBefore, ofAfter] = [parts(before), parts(after)];
  const differ = (['filter', 'action'] as const).filter((name) => ofBefore[name] !== ofAfter[name]);
  return differ.map((name) => ({ name, before: ofBefore[name], after: ofAfter[name] }));
}

function exists(one: Named, differences: readonly Difference[], options: string): JitneyError {
  const what = `The ${one.type} '${nameOf(one)}' exists already`;
  if (differences.length === 0) return new JitneyError('entity-exists', `${what}, as it is requested here`);
  const lines = differences.map(
    ({ name, before, after }) => `${name} is ${text(before)}, not ${text(after)}`,
  );
  return new JitneyError('entity-exists', `${what}, and differs:`, {
    problems: [
      ...lines,
      `To change it:  jitney update ${one.type} <spec>${options}   or to leave it:  --if-missing`,
    ],
  });
}

function text(value: Difference['before']): string {
  if (value === undefined) return 'set to nothing';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

async function missing(one: Named, client: AdminClient): Promise<JitneyError> {
  const hint = suggestion(nameOf(one), await namesBeside(one, client)).trim();
  const text = `There is no ${one.type} '${nameOf(one)}' at ${client.address}`;
  return new JitneyError('no-entity', text, { problems: hint === '' ? [] : [hint] });
}

/** The names that may have been meant; none if their topic or subscription is missing, too. */
async function namesBeside(one: Named, client: AdminClient): Promise<readonly string[]> {
  const names: string[] = [];
  try {
    switch (one.type) {
      case 'queue':
        for await (const { description } of client.listQueues()) names.push(description.name);
        break;
      case 'topic':
        for await (const { description } of client.listTopics()) names.push(description.name);
        break;
      case 'subscription': {
        const topicName = one.path.entity;
        for await (const { description } of client.listSubscriptions(topicName)) {
          names.push(`${topicName}/${description.name}`);
        }
        break;
      }
      case 'rule': {
        const { topicName, subscription } = one;
        for await (const { name } of client.listRules(topicName, subscription))
          names.push(nameOf({ ...one, name }));
        break;
      }
      default:
        one satisfies never;
    }
  } catch (error) {
    if (!isOfKind(error, 'no-entity')) throw error;
  }
  return names;
}
