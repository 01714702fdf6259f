// Creates, changes and deletes entities and rules of an emulator in the same process.

import type { Command } from '../broker/contract/command.js';
import { type DescribedEntity, pathOf } from '../broker/contract/entities/entity.js';
import { subscriptionPathOf } from '../broker/contract/entities/entity-path.js';
import type { Limits } from '../broker/contract/limits.js';
import type { Result } from '../broker/contract/result.js';
import type { RuleDescription } from '../broker/contract/rule-description.js';
import { ServiceBusError } from '../broker/contract/service-bus-error.js';
import type { ConfiguredTopic } from '../config/configured-topic.js';
import { refusedEntity } from '../config/entity-refusal.js';
import type { GivenRule, GivenSubscription, GivenTopic } from '../config/given-entities.js';
import type { QueueProperties, SubscriptionProperties, TopicProperties } from '../config/given-properties.js';
import { completeQueue } from '../config/given-queue.js';
import { readGivenRule } from '../config/given-rule.js';
import { completeTopic } from '../config/given-topic.js';
import { changedEntity } from '../description/described-entity.js';
import { ValueError } from '../description/value-error.js';
import { JitneyError } from '../jitney-error.js';
import type { EmulatorQueue, EmulatorSubscription, EmulatorTopic } from './emulator-entities.js';
import { queueHandle, subscriptionHandle, topicHandle } from './entity-handles.js';
import { type LookContext, lookErrorOf } from './look-context.js';

/** Properties to change; `null` brings back Azure's default. */
export type Changed<Properties> = { readonly [Name in keyof Properties]: Properties[Name] | null };

/** Changes of the entities of a running emulator. All reject with a JitneyError. */
export type EmulatorEntityChanges = {
  /**
   * Creates a queue. Its properties have the names of the SDK's CreateQueueOptions, and missing ones Azure's defaults. Rejects with the
   * kind `entity-exists` if there is one, `bad-queue` for a wrong property.
   *
   * ```ts
   * const orders = await emulator.createQueue('orders', { lockDuration: 'PT30S' });
   * ```
   */
  createQueue(name: string, properties?: QueueProperties): Promise<EmulatorQueue>;
  /**
   * Creates a topic with its subscriptions, all or nothing.
   *
   * ```ts
   * await emulator.createTopic('events', { subscriptions: ['audit', { name: 'eu', filter: "region = 'EU'" }] });
   * ```
   */
  createTopic(name: string, properties?: Omit<GivenTopic, 'name'>): Promise<EmulatorTopic>;
  /**
   * Creates a subscription. Without `filter` and `rules` it has one rule, `$Default`, which takes every message.
   *
   * ```ts
   * await emulator.createSubscription('events', 'mail', { filter: { subject: 'placed' } });
   * ```
   */
  createSubscription(
    topicName: string,
    name: string,
    properties?: Omit<GivenSubscription, 'name'>,
  ): Promise<EmulatorSubscription>;
  /**
   * Adds a rule to a subscription. It takes messages beside `$Default`, if that is still there.
   *
   * ```ts
   * await emulator.createRule('events', 'mail', 'red', { filter: "color = 'red'", action: "SET sys.Label = 'red'" });
   * ```
   */
  createRule(
    topicName: string,
    subscriptionName: string,
    name: string,
    rule?: Omit<GivenRule, 'name'>,
  ): Promise<void>;
  /**
   * Changes the given properties of a queue and keeps the others, its messages and its locks. Rejects with the kind `entity-fixed` for
   * one that cannot change, such as `requiresSession`.
   *
   * ```ts
   * await emulator.updateQueue('orders', { maxDeliveryCount: 3, forwardTo: null });
   * ```
   */
  updateQueue(name: string, properties: Changed<QueueProperties>): Promise<void>;
  /** Changes the given properties of a topic, as `updateQueue` does. */
  updateTopic(name: string, properties: Changed<TopicProperties>): Promise<void>;
  /** Changes the given properties of a subscription, as `updateQueue` does. */
  updateSubscription(
    topicName: string,
    name: string,
    properties: Changed<SubscriptionProperties>,
  ): Promise<void>;
  /** Replaces the rule of this name. */
  updateRule(
    topicName: string,
    subscriptionName: string,
    name: string,
    rule: Omit<GivenRule, 'name'>,
  ): Promise<void>;
  /** Deletes a queue with its messages, and detaches its links. */
  deleteQueue(name: string): Promise<void>;
  /** Deletes a topic with its subscriptions and their messages, and detaches their links. */
  deleteTopic(name: string): Promise<void>;
  /** Deletes a subscription with its messages, and detaches its links. */
  deleteSubscription(topicName: string, name: string): Promise<void>;
  deleteRule(topicName: string, subscriptionName: string, name: string): Promise<void>;
};

type ChangeContext = {
  readonly look: LookContext;
  readonly limits: Limits;
  /** Asks the broker, and asks again while copies are being made (TOP-15). */
  readonly ask: (command: Command) => Promise<Result>;
};

export function entityChanges(context: ChangeContext): EmulatorEntityChanges {
  const { look } = context;
  const rulePlace = (topic: string, subscription: string) => ({
    entityPath: subscriptionPathOf(topic, subscription),
  });
  return {
    createQueue: async (name, properties = {}) => {
      await create({ type: 'queue', description: completeQueue({ ...properties, name }) }, context);
      return queueHandle(look, name);
    },
    createTopic: async (name, properties = {}) => {
      await createTopic(completeTopic({ ...properties, name }), context);
      return topicHandle(look, name);
    },
    createSubscription: async (topicName, name, properties = {}) => {
      const { subscriptions } = completeTopic({ name: topicName, subscriptions: [{ ...properties, name }] });
      await createSubscriptions(topicName, subscriptions, context);
      return subscriptionHandle(look, topicName, name);
    },
    createRule: async (topicName, subscription, name, rule = {}) => {
      const place = rulePlace(topicName, subscription);
      return changeRule({ kind: 'add-rule', ...place, rule: readRule(name, rule) }, context);
    },
    updateQueue: (name, properties) => update('queue', name, properties, context),
    updateTopic: (name, properties) => update('topic', name, properties, context),
    updateSubscription: (topicName, name, properties) =>
      update('subscription', subscriptionPathOf(topicName, name), properties, context),
    updateRule: async (topicName, subscription, name, rule) => {
      const place = rulePlace(topicName, subscription);
      return changeRule({ kind: 'update-rule', ...place, rule: readRule(name, rule) }, context);
    },
    deleteQueue: (name) => remove('queue', name, context),
    deleteTopic: (name) => remove('topic', name, context),
    deleteSubscription: (topicName, name) =>
      remove('subscription', subscriptionPathOf(topicName, name), context),
    deleteRule: (topicName, subscription, name) =>
      changeRule({ kind: 'remove-rule', ...rulePlace(topicName, subscription), name }, context),
  };
}

async function createTopic(
  { description, subscriptions }: ConfiguredTopic,
  context: ChangeContext,
): Promise<void> {
  await create({ type: 'topic', description }, context);
  try {
    await createSubscriptions(description.name, subscriptions, context);
  } catch (error) {
    await context.ask({ kind: 'delete-entity', entityPath: description.name });
    throw error;
  }
}

async function createSubscriptions(
  topicName: string,
  subscriptions: ConfiguredTopic['subscriptions'],
  context: ChangeContext,
): Promise<void> {
  for (const { description, rules } of subscriptions) {
    await create({ type: 'subscription', topicName, description }, context, rules);
  }
}

async function create(
  entity: DescribedEntity,
  context: ChangeContext,
  rules?: readonly RuleDescription[],
): Promise<void> {
  const result = await execute({ kind: 'put-entity', ...entity, rules, expected: 'absent' }, context);
  if (result.kind !== 'failed') return;
  const { error } = result;
  if (error.reason === 'entity-already-exists' && error.data.about === undefined) {
    const text = `The ${entity.type} '${pathOf(entity)}' exists already`;
    throw new JitneyError('entity-exists', text, { cause: error });
  }
  throw refusedEntity(entity, context.limits, error) ?? (await lookErrorOf(error, context.look));
}

async function update(
  type: DescribedEntity['type'],
  path: string,
  properties: Readonly<Record<string, unknown>>,
  context: ChangeContext,
): Promise<void> {
  const entity = changed(await find(type, path, context), properties);
  const result = await execute({ kind: 'put-entity', ...entity, expected: 'present' }, context);
  if (result.kind !== 'failed') return;
  throw (
    refusedEntity(entity, context.limits, result.error) ?? (await lookErrorOf(result.error, context.look))
  );
}

function changed(before: DescribedEntity, properties: Readonly<Record<string, unknown>>): DescribedEntity {
  try {
    return changedEntity(before, properties);
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    const kind = before.type === 'queue' ? 'bad-queue' : 'bad-topic';
    const what = before.type.charAt(0).toUpperCase() + before.type.slice(1);
    throw new JitneyError(kind, `${what} '${pathOf(before)}': ${error.message}`, { cause: error });
  }
}

async function remove(type: DescribedEntity['type'], path: string, context: ChangeContext): Promise<void> {
  const entity = await find(type, path, context);
  await done({ kind: 'delete-entity', entityPath: pathOf(entity) }, context);
}

/** The entity of this type. Throws a JitneyError of kind `entity-not-found` or `other-entity`. */
async function find(
  type: DescribedEntity['type'],
  entityPath: string,
  context: ChangeContext,
): Promise<DescribedEntity> {
  const result = await execute({ kind: 'get-entity', entityPath }, context);
  if (result.kind === 'failed') throw await lookErrorOf(result.error, context.look);
  if (result.kind !== 'entity-info') throw new Error(`the broker answered '${result.kind}' to 'get-entity'`);
  const { entity } = result;
  if (entity.type === type) return entity;
  throw new JitneyError('other-entity', `'${entityPath}' is a ${entity.type}, not a ${type}`);
}

function readRule(name: string, rule: Omit<GivenRule, 'name'>): RuleDescription {
  try {
    return readGivenRule({ ...rule, name });
  } catch (error) {
    if (error instanceof ValueError) throw new JitneyError('bad-topic', error.message, { cause: error });
    throw error;
  }
}

type RuleCommand = Extract<Command, { readonly kind: 'add-rule' | 'update-rule' | 'remove-rule' }>;

async function changeRule(command: RuleCommand, context: ChangeContext): Promise<void> {
  const result = await execute(command, context);
  if (result.kind !== 'failed') return;
  const { error } = result;
  if (error.reason === 'entity-already-exists') {
    throw new JitneyError('entity-exists', error.message, { cause: error });
  }
  const found = await lookErrorOf(error, context.look);
  throw found instanceof ServiceBusError
    ? new JitneyError('entity-refused', found.message, { cause: found })
    : found;
}

async function done(command: Command, context: ChangeContext): Promise<void> {
  const result = await execute(command, context);
  if (result.kind === 'failed') throw await lookErrorOf(result.error, context.look);
}

async function execute(command: Command, { look, ask }: ChangeContext): Promise<Result> {
  look.waits.check();
  return ask(command);
}
