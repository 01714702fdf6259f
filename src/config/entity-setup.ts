// Makes the entities a user asked for, by commands in an order that works: whatever messages are forwarded to is there first.

import type { Command } from '../broker/command.js';
import { subscriptionPathOf } from '../broker/entity/entity-path.js';
import type { QueueDescription } from '../broker/entity/queue-description.js';
import type { Limits } from '../broker/limits.js';
import type { Result } from '../broker/result.js';
import type { Entities } from './configured-entities.js';
import type { ConfiguredSubscription, ConfiguredTopic } from './configured-topic.js';
import { type RefusableEntity, refusedEntity } from './entity-refusal.js';

export type Ask = (command: Command) => Promise<Result>;

/** One entity and how it is made. */
type Step = {
  readonly entity: RefusableEntity;
  readonly put: Command;
  /** Of one that forwards: whether it is there already, and how it is made before what it forwards to. */
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
   * Afterwards each entity is as described, whatever earlier starts have made of it. Throws a ConfigError for what the
   * broker refuses, and the broker's own error when that is no mistake of who configured it.
   */
  async carryOut({ queues, topics }: Entities): Promise<void> {
    const steps = [...queues.map(stepOfQueue), ...topics.flatMap(stepsOfTopic)];
    for (const { entity, put, first } of steps) {
      if (first === undefined) await this.#do(put, entity);
      else if ((await this.#ask(first.find)).kind === 'failed') await this.#do(first.put, entity);
    }
    // Before anything is forwarded that they are to see.
    for (const topic of topics) {
      for (const subscription of topic.subscriptions) await this.#bringRules(topic, subscription);
    }
    // FWD-02
    for (const { entity, put, first } of steps) {
      if (first !== undefined) await this.#do(put, entity);
    }
  }

  /** A new subscription has its rules already. */
  async #bringRules(topic: ConfiguredTopic, { description, rules }: ConfiguredSubscription): Promise<void> {
    if (rules === undefined) return;
    const entity: RefusableEntity = { kind: 'subscription', topicName: topic.description.name, description };
    const entityPath = subscriptionPathOf(topic.description.name, description.name);
    // At once: what is due meanwhile is to meet all of them or none.
    await this.#do({ kind: 'set-rules', entityPath, rules }, entity);
  }

  async #do(command: Command, entity: RefusableEntity): Promise<Result> {
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
