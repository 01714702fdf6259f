// Creates the configured entities by commands, first on a copy; forwarding is set once all destinations exist.

import type { Command } from '../broker/command.js';
import { subscriptionPathOf } from '../broker/entities/entity-path.js';
import type { QueueDescription } from '../broker/entities/queue-description.js';
import type { RuleRecord, StoredEvent } from '../broker/event.js';
import type { Limits } from '../broker/limits.js';
import type { Result, SubscriptionInfo } from '../broker/result.js';
import type { Entities } from './configured-entities.js';
import type { ConfiguredSubscription, ConfiguredTopic } from './configured-topic.js';
import { type RefusableEntity, refusedEntity } from './entity-refusal.js';

export type Ask = (command: Command) => Promise<Result>;

/** An entity and the commands that create it. */
type Step = {
  readonly entity: RefusableEntity;
  readonly put: Command;
  /** For an entity that forwards: finds it, and creates it without forwarding, before its destination exists. */
  readonly first: { readonly find: Command; readonly put: Command } | undefined;
};

const NOT_FORWARDING = { forwardTo: undefined, forwardDeadLetteredMessagesTo: undefined } as const;

export class EntitySetup {
  readonly #ask: Ask;
  readonly #limits: Limits;

  constructor(ask: Ask, limits: Limits) {
    this.#ask = ask;
    this.#limits = limits;
  }

  /**
   * Creates or changes each entity so that it matches its description. Throws a JitneyError for a refused entity, or the
   * broker's own error when the configuration is not the cause.
   */
  async run({ queues, topics }: Entities): Promise<void> {
    const steps = [...queues.map(stepOfQueue), ...topics.flatMap(stepsOfTopic)];
    for (const { entity, put, first } of steps) {
      if (first === undefined) await this.#execute(put, entity);
      else if ((await this.#ask(first.find)).kind === 'failed') await this.#execute(first.put, entity);
    }
    // Rules are set before forwarding starts, so that they apply to the first forwarded message.
    for (const topic of topics) {
      for (const subscription of topic.subscriptions) await this.#setRules(topic, subscription);
    }
    // FWD-02
    for (const { entity, put, first } of steps) {
      if (first !== undefined) await this.#execute(put, entity);
    }
  }

  /** Replaces the rules of an existing subscription; a new one already has them. */
  async #setRules(topic: ConfiguredTopic, { description, rules }: ConfiguredSubscription): Promise<void> {
    if (rules === undefined) return;
    const entity: RefusableEntity = { kind: 'subscription', topicName: topic.description.name, description };
    const entityPath = subscriptionPathOf(topic.description.name, description.name);
    // One command, so that a message that comes due meanwhile meets all new rules or none.
    await this.#execute({ kind: 'set-rules', entityPath, rules }, entity);
  }

  async #execute(command: Command, entity: RefusableEntity): Promise<Result> {
    const result = await this.#ask(command);
    if (result.kind !== 'failed') return result;
    throw refusedEntity(entity, this.#limits, result.error) ?? result.error;
  }
}

function stepOfQueue(description: QueueDescription): Step {
  const { name } = description;
  return {
    entity: { kind: 'queue', description },
    put: { kind: 'put-queue', description },
    first: isForwarding(description)
      ? {
          find: { kind: 'get-queue-info', name },
          put: { kind: 'put-queue', description: { ...description, ...NOT_FORWARDING } },
        }
      : undefined,
  };
}

function stepsOfTopic({ description, subscriptions }: ConfiguredTopic): Step[] {
  const topicName = description.name;
  return [
    { entity: { kind: 'topic', description }, put: { kind: 'put-topic', description }, first: undefined },
    ...subscriptions.map((subscription) => stepOfSubscription(topicName, subscription)),
  ];
}

function stepOfSubscription(topicName: string, { description, rules }: ConfiguredSubscription): Step {
  const put = { kind: 'put-subscription', topicName, description, rules } as const;
  return {
    entity: { kind: 'subscription', topicName, description },
    put,
    first: isForwarding(description)
      ? {
          find: { kind: 'get-subscription-info', topicName, name: description.name },
          put: { ...put, description: { ...description, ...NOT_FORWARDING } },
        }
      : undefined,
  };
}

function isForwarding(given: {
  readonly forwardTo: string | undefined;
  readonly forwardDeadLetteredMessagesTo: string | undefined;
}): boolean {
  return given.forwardTo !== undefined || given.forwardDeadLetteredMessagesTo !== undefined;
}

export type SetupContext = {
  readonly ask: Ask;
  readonly limits: Limits;
  /** Makes a separate broker with these entities. */
  readonly copyOf: (stored: readonly StoredEvent[]) => Ask;
};

/** Creates the entities on a copy of the broker first, so that a refusal changes nothing. Throws what EntitySetup throws. */
export async function setUpEntities(
  entities: Entities,
  { ask, limits, copyOf }: SetupContext,
): Promise<void> {
  const copy = copyOf(await storedEntities(ask));
  await new EntitySetup(copy, limits).run(entities);
  await new EntitySetup(ask, limits).run(entities);
}

const ALL = { skip: 0, maxCount: Number.MAX_SAFE_INTEGER } as const;

/** The broker's entities and rules as events for a copy, with invented store ids. */
async function storedEntities(ask: Ask): Promise<readonly StoredEvent[]> {
  const ids = new StoreIds();
  const queues = await ask({ kind: 'list-queues', ...ALL });
  const topics = await ask({ kind: 'list-topics', ...ALL });
  if (queues.kind !== 'queues' || topics.kind !== 'topics') return [];
  const events: StoredEvent[] = queues.queues.map((queue) => ({
    kind: 'queue-put',
    queue: { ...queue, ...ids.take() },
  }));
  for (const topic of topics.topics) {
    const record = { ...topic, ...ids.take() };
    events.push({ kind: 'topic-put', topic: record });
    events.push(
      ...(await subscriptionsOf(topic.description.name, { topicStoreId: record.storeId, ids, ask })),
    );
  }
  return events;
}

type TopicContext = { readonly topicStoreId: number; readonly ids: StoreIds; readonly ask: Ask };

async function subscriptionsOf(
  topicName: string,
  { topicStoreId, ids, ask }: TopicContext,
): Promise<StoredEvent[]> {
  const found = await ask({ kind: 'list-subscriptions', topicName, ...ALL });
  const subscriptions = found.kind === 'subscriptions' ? found.subscriptions : [];
  const events = subscriptions.map(async (subscription): Promise<StoredEvent[]> => {
    const record = { ...subscription, topicStoreId, ...ids.take() };
    const rules = await rulesOf(topicName, subscription, ask);
    return [
      { kind: 'subscription-put', subscription: record },
      ...rules.map((rule) => ({ kind: 'rule-put', storeId: record.storeId, rule }) as const),
    ];
  });
  return (await Promise.all(events)).flat();
}

async function rulesOf(
  topicName: string,
  { description }: SubscriptionInfo,
  ask: Ask,
): Promise<readonly RuleRecord[]> {
  const entityPath = subscriptionPathOf(topicName, description.name);
  const found = await ask({ kind: 'list-rules', entityPath, ...ALL });
  return found.kind === 'rules' ? found.rules : [];
}

class StoreIds {
  #last = 0;

  take(): { readonly storeId: number; readonly deadLetterStoreId: number } {
    return { storeId: ++this.#last, deadLetterStoreId: ++this.#last };
  }
}
