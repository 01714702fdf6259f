// Writes a namespace as a Config.json: what differs from the defaults with which such a file is read.

import type { AuthorizationRule } from '../broker/contract/entities/authorization-rule.js';
import type { EntityType } from '../broker/contract/entities/entity.js';
import { describeQueue } from '../broker/contract/entities/queue-description.js';
import { describeSubscription, describeTopic } from '../broker/contract/entities/topic-description.js';
import type { Filter, RuleDescription, SqlExpression } from '../broker/contract/rule-description.js';
import type { Entities } from '../config/configured-entities.js';
import { checkFilter, toParameter } from '../config/given-rule.js';
import { OFFICIAL_DEFAULTS } from '../config/official-config.js';
import { OFFICIAL_CORRELATION_FIELDS } from '../description/correlation-fields.js';
import { officialName } from '../description/entity-property.js';
import { ValueError } from '../description/value-error.js';
import type { WrittenDefinitions } from './definitions.js';
import { differingProperties, noteOnKeys, noteOnOther, rulesToWrite } from './resources-of.js';
import { isValid } from './rule-resource.js';

/** The only namespace name that the official emulator takes. */
const NAMESPACE = 'sbemulatorns';
const INDENT = 2;

export function writeConfig(entities: Entities): WrittenDefinitions {
  const notes: string[] = [];
  const namespace = {
    Name: NAMESPACE,
    Queues: entities.queues.map((queue) => {
      notes.push(...noteOnOther(queue, `queue ${queue.name}`));
      return entityOf('queue', queue, describeQueue(queue.name, OFFICIAL_DEFAULTS.queue));
    }),
    Topics: entities.topics.map(({ description, subscriptions }) => {
      notes.push(...noteOnOther(description, `topic ${description.name}`));
      const { name, enablePartitioning } = description;
      const defaults = {
        ...describeTopic(name, { ...OFFICIAL_DEFAULTS.topic, enablePartitioning }),
        enablePartitioning: false,
      };
      return {
        ...entityOf('topic', description, defaults),
        Subscriptions: subscriptions.map((subscription) => {
          const what = `subscription ${name}/${subscription.description.name}`;
          notes.push(...noteOnOther(subscription.description, what));
          const usual = describeSubscription(subscription.description.name, OFFICIAL_DEFAULTS.subscription);
          const rules = rulesToWrite(subscription.rules, what, notes).map(ruleOf);
          return {
            ...entityOf('subscription', subscription.description, usual),
            ...(rules.length === 0 ? {} : { Rules: rules }),
          };
        }),
      };
    }),
  };
  // The official emulator requires the last part.
  const config = { UserConfig: { Namespaces: [namespace], Logging: { Type: 'File' } } };
  return {
    text: `${JSON.stringify(config, undefined, INDENT)}\n`,
    notes: [...notes, ...noteOnKeys(entities)],
  };
}

function entityOf(type: EntityType, description: { readonly name: string }, defaults: object): object {
  const { authorizationRules = [], ...properties } = differingProperties(type, description, defaults);
  const official = Object.entries(properties).map(([name, value]) => [officialName(name), value]);
  const rules = authorizationRules as readonly {
    readonly keyName: string;
    readonly accessRights: AuthorizationRule['rights'];
  }[];
  const written = {
    ...Object.fromEntries(official),
    ...(rules.length === 0
      ? {}
      : {
          AuthorizationRules: rules.map(({ keyName, accessRights }) => ({
            KeyName: keyName,
            Rights: accessRights,
          })),
        }),
  };
  return { Name: description.name, ...(Object.keys(written).length === 0 ? {} : { Properties: written }) };
}

function ruleOf({ name, filter, action }: RuleDescription): object {
  return {
    Name: name,
    Properties: { ...filterOf(filter), ...(action === undefined ? {} : { Action: sqlOf(action) }) },
  };
}

function filterOf(filter: Filter): object {
  switch (filter.kind) {
    case 'true':
      return { FilterType: 'True' };
    case 'false':
      return { FilterType: 'False' };
    case 'sql':
      return { FilterType: 'Sql', SqlFilter: sqlOf(filter) };
    case 'selector':
      return selectorOf(filter.expression);
    case 'correlation': {
      const { properties = {} } = filter;
      const fields = Object.entries(OFFICIAL_CORRELATION_FIELDS).flatMap(([name, field]) =>
        filter[field] === undefined ? [] : [[name, filter[field]]],
      );
      const CorrelationFilter = {
        ...Object.fromEntries(fields),
        ...(Object.keys(properties).length === 0 ? {} : { Properties: writtenValues(properties) }),
      };
      return { FilterType: 'Correlation', CorrelationFilter };
    }
    default:
      return filter satisfies never;
  }
}

/** As SQL, if that can be read again: with the next consumer, whose selector is another filter, the subscription is made anew. */
function selectorOf(expression: string): object {
  const filter = { kind: 'sql', expression } as const;
  return isValid(() => checkFilter(filter)) ? filterOf(filter) : { FilterType: 'False' };
}

function sqlOf({ expression, parameters = {} }: SqlExpression): object {
  const values = writtenValues(parameters);
  return { SqlExpression: expression, ...(Object.keys(values).length === 0 ? {} : { Parameters: values }) };
}

function writtenValues(values: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, writtenValue(value)]));
}

/** A number where reading it gives the value again, and otherwise the value with its type: `{ "type": "long", "value": "5" }`. */
function writtenValue(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('value' in value)) return value;
  const number = Number(value.value);
  return Number.isFinite(number) && JSON.stringify(readAgain(number)) === JSON.stringify(value)
    ? number
    : value;
}

function readAgain(number: number): unknown {
  try {
    return toParameter(number);
  } catch (error) {
    if (error instanceof ValueError) return undefined;
    throw error;
  }
}
