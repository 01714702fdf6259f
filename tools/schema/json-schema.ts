// The JSON Schema of a Config.json, for editors, made of the tables by which such a file is read.

import { ACCESS_RIGHTS, MAX_KEY_LENGTH } from '../../src/broker/contract/entities/authorization-rule.js';
import {
  describeQueue,
  INNER_NAME_PATTERN,
  MAX_NAME_LENGTH,
  MAX_USER_METADATA_LENGTH,
  NAME_PATTERN,
  QUEUE_RANGES,
  type Range,
} from '../../src/broker/contract/entities/queue-description.js';
import { describeSubscription, describeTopic } from '../../src/broker/contract/entities/topic-description.js';
import { NEVER } from '../../src/broker/contract/instant.js';
import { OFFICIAL_DEFAULTS } from '../../src/config/official-config.js';
import { FILTER_TYPES } from '../../src/config/official-rule.js';
import { OFFICIAL_CORRELATION_FIELDS } from '../../src/description/correlation-fields.js';
import { DURATION_PATTERN, formatDuration } from '../../src/description/duration.js';
import { MAX_INNER_NAME_LENGTH } from '../../src/description/entity-name.js';
import {
  QUEUE_PROPERTIES,
  SUBSCRIPTION_PROPERTIES,
  TOPIC_PROPERTIES,
} from '../../src/description/entity-properties.js';
import { type EntityProperty, officialName } from '../../src/description/entity-property.js';
import { FILTER_TYPE_TEXT, PROPERTY_TEXTS } from '../properties/property-texts.js';

type Schema = Readonly<Record<string, unknown>>;
type Property = Pick<EntityProperty<unknown>, 'name' | 'type' | 'values'> & { readonly field: string };

/** A durable subscription of a JMS program. Each character of its name and client id may take twelve. */
const SUBSCRIBER_PATTERN = /^[\w\-.~]+\$[\w\-.~]*\$D$/;
const MAX_SUBSCRIBER = 12 * (50 + 128) + 3;
const RULE_NAME_PATTERN = new RegExp(`${INNER_NAME_PATTERN.source}|^\\$Default$`);

const RANGES: Readonly<Record<string, Range>> = QUEUE_RANGES;

export function buildSchema(): Schema {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Config.json of Jitney and of the official Azure Service Bus emulator',
    description: 'The namespace, queues, topics, subscriptions and rules that are there after a start.',
    // Known to editors that are built on the JSON language service.
    allowComments: true,
    allowTrailingCommas: true,
    ...object(
      {
        $schema: { type: 'string' },
        UserConfig: object(
          {
            Namespaces: { ...list('namespace'), type: 'array', minItems: 1 },
            Logging: {
              description: 'Where the official emulator writes its log. Means nothing to Jitney.',
            },
          },
          ['Namespaces'],
        ),
      },
      ['UserConfig'],
    ),
    definitions: definitions(),
  };
}

function definitions(): Readonly<Record<string, Schema>> {
  return {
    namespace: object({
      Name: {
        type: ['string', 'null'],
        description:
          'The first namespace may have any name; the official emulator takes sbemulatorns. Clients choose each further one by its name.',
      },
      Queues: list('queue'),
      Topics: list('topic'),
    }),
    queue: object(
      {
        Name: name(NAME_PATTERN, MAX_NAME_LENGTH),
        Properties: properties(QUEUE_PROPERTIES, describeQueue('a', OFFICIAL_DEFAULTS.queue)),
      },
      ['Name'],
    ),
    topic: object(
      {
        Name: name(NAME_PATTERN, MAX_NAME_LENGTH),
        Properties: properties(TOPIC_PROPERTIES, describeTopic('a', OFFICIAL_DEFAULTS.topic)),
        Subscriptions: list('subscription'),
      },
      ['Name'],
    ),
    subscription: object(
      {
        Name: {
          anyOf: [name(INNER_NAME_PATTERN, MAX_INNER_NAME_LENGTH), name(SUBSCRIBER_PATTERN, MAX_SUBSCRIBER)],
        },
        Properties: properties(
          SUBSCRIPTION_PROPERTIES,
          describeSubscription('a', OFFICIAL_DEFAULTS.subscription),
        ),
        Rules: {
          ...list('rule'),
          description: 'All rules there are. An empty list stands for one that takes every message.',
        },
      },
      ['Name'],
    ),
    rule: rule(),
    sql: {
      ...object(
        {
          SqlExpression: { type: 'string' },
          Parameters: values('Values of the parameters that the SQL names.'),
        },
        ['SqlExpression'],
      ),
      type: ['object', 'null'],
    },
    value: {
      description: 'A value, or one of another type, such as { "type": "long", "value": "5" }.',
      anyOf: [
        { type: ['string', 'number', 'boolean'] },
        {
          type: 'object',
          required: ['type', 'value'],
          properties: {
            type: { enum: ['int', 'long', 'double', 'timestamp', 'duration', 'uuid'] },
            value: { type: ['string', 'number'] },
          },
        },
      ],
    },
    authorizationRule: authorizationRule(),
  };
}

function values(description: string): Schema {
  return { type: ['object', 'null'], description, additionalProperties: { $ref: '#/definitions/value' } };
}

function rule(): Schema {
  const texts = Object.keys(OFFICIAL_CORRELATION_FIELDS).map((key) => [key, { type: ['string', 'null'] }]);
  const correlation = object({
    ...Object.fromEntries(texts),
    Properties: values('Application properties and the values they must have.'),
    RequiresPreprocessing: { description: 'Means nothing.' },
  });
  const types = [...FILTER_TYPES, ...FILTER_TYPES.map((type) => `${type}Filter`)];
  const filter = object(
    {
      FilterType: { enum: types, description: FILTER_TYPE_TEXT },
      CorrelationFilter: { ...correlation, type: ['object', 'null'] },
      SqlFilter: { $ref: '#/definitions/sql' },
      Action: { $ref: '#/definitions/sql' },
    },
    ['FilterType'],
  );
  return object({ Name: name(RULE_NAME_PATTERN, MAX_INNER_NAME_LENGTH), Properties: filter }, [
    'Name',
    'Properties',
  ]);
}

function authorizationRule(): Schema {
  const text = { type: ['string', 'null'], maxLength: MAX_KEY_LENGTH };
  return object(
    {
      KeyName: { type: 'string', minLength: 1, maxLength: MAX_KEY_LENGTH },
      Rights: {
        type: 'array',
        minItems: 1,
        items: { enum: ACCESS_RIGHTS },
        description: 'Who may manage must be given the other two as well.',
      },
      PrimaryKey: text,
      SecondaryKey: text,
      ClaimType: text,
      ClaimValue: text,
    },
    ['KeyName', 'Rights'],
  );
}

/** Null is taken for "not given". */
function properties(table: readonly Property[], defaults: object): Schema {
  const entries = table.map((property) => [officialName(property.name), propertySchema(property, defaults)]);
  // Names in code are taken, too. They are a pattern, because an editor would otherwise propose each property twice.
  const namesInCode = `^(${table.map((property) => property.name).join('|')})$`;
  return {
    ...object(Object.fromEntries(entries)),
    patternProperties: { [namesInCode]: {} },
    type: ['object', 'null'],
  };
}

function propertySchema(property: Property, defaults: object): Schema {
  const { name, field, type } = property;
  const text = PROPERTY_TEXTS[name];
  const range = RANGES[field];
  const value: unknown = Reflect.get(defaults, field);
  const described = { description: text, ...(value === undefined ? {} : { default: value }) };
  switch (type) {
    case 'duration': {
      const from = range === undefined ? '' : ` From ${spanText(range.least)} to ${spanText(range.most)}.`;
      return {
        type: ['string', 'integer', 'null'],
        pattern: DURATION_PATTERN,
        ...(range === undefined ? {} : { minimum: range.least, maximum: lastOf(range) }),
        description: `${text}${from}`,
        default: formatDuration(Number(value)),
      };
    }
    case 'number':
      return { type: ['integer', 'null'], minimum: range?.least, maximum: range?.most, ...described };
    case 'boolean':
      return { type: ['boolean', 'null'], ...described };
    case 'text':
      if (property.values !== undefined) return { enum: [...property.values, null], ...described };
      return { type: ['string', 'null'], ...lengthOf(name), ...described };
    case 'list':
      return { ...list('authorizationRule'), ...described };
    default:
      return type satisfies never;
  }
}

/** A number cannot say "without end". */
function lastOf({ most }: Range): number | undefined {
  return most === NEVER ? undefined : most;
}

function lengthOf(name: string): Schema {
  return name === 'userMetadata' ? { maxLength: MAX_USER_METADATA_LENGTH } : {};
}

function spanText(milliseconds: number): string {
  return milliseconds === 1 ? 'just above PT0S' : formatDuration(milliseconds);
}

function name(pattern: RegExp, maxLength: number): Schema {
  return { type: 'string', minLength: 1, maxLength, pattern: pattern.source };
}

function list(definition: string): Schema {
  return { type: ['array', 'null'], items: { $ref: `#/definitions/${definition}` } };
}

/** An unknown key is ignored with a warning by a start, so an editor should mark it. */
function object(entries: Schema, required: readonly string[] = []): Schema {
  return {
    type: 'object',
    properties: entries,
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}
