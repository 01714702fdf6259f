// Answers GET, PUT and DELETE of queues and topics, which share their paths.

import { describeQueue } from '../../broker/entities/queue-description.js';
import { describeTopic } from '../../broker/entities/topic-description.js';
import type { QueueInfo, Result, TopicInfo } from '../../broker/result.js';
import { expectResult, type RoutedCall } from '../http-context.js';
import type { XmlElement } from '../xml/xml-element.js';
import { atomContextOf, readContent } from './admin-call.js';
import { entryResponse } from './atom.js';
import { queueEntry, topicEntry } from './entity-entries.js';
import { QUEUE_SCHEMA, TOPIC_SCHEMA } from './entity-schemas.js';
import { checkMessageSize, storedSizes } from './entity-sizes.js';
import { type PutSteps, putEntity, unchangedProperties } from './put-entity.js';
import { readDescription } from './read-description.js';

export async function answerGetEntity(call: RoutedCall): Promise<Response> {
  const name = call.names.entity;
  const found = await submitEither(call, { kind: 'get-queue-info', name }, { kind: 'get-topic-info', name });
  return found.kind === 'queue-info'
    ? entryResponse(queueEntry(found.queue, atomContextOf(call)), call)
    : entryResponse(topicEntry(expectResult(found, 'topic-info').topic, atomContextOf(call)), call);
}

export async function answerDeleteEntity(call: RoutedCall): Promise<Response> {
  const name = call.names.entity;
  const deleted = await submitEither(call, { kind: 'delete-queue', name }, { kind: 'delete-topic', name });
  expectResult(deleted, 'done');
  return new Response(null, { status: 200 });
}

/** The refusal of a topic, in `cause`. Only the description in the request shows that the entity is a topic. */
export class TopicRefused extends Error {
  constructor(cause: unknown) {
    super('a topic was refused', { cause });
  }
}

/** Creates or changes an entity. The description in the body decides whether it is a queue or a topic. */
export async function answerPutEntity(call: RoutedCall): Promise<Response> {
  const description = await readContent(call, [QUEUE_SCHEMA.element, TOPIC_SCHEMA.element]);
  if (description.localName === QUEUE_SCHEMA.element) return putQueue(description, call, call.names.entity);
  try {
    return await putTopic(description, call);
  } catch (error) {
    throw new TopicRefused(error);
  }
}

export function putQueue(element: XmlElement, call: RoutedCall, name: string): Promise<Response> {
  const queue: PutSteps<QueueInfo> = {
    find: { kind: 'get-queue-info', name },
    describe(before) {
      checkMessageSize(element, before, atomContextOf(call));
      const read = readDescription(QUEUE_SCHEMA, element);
      const unchanged = unchangedProperties(before, QUEUE_SCHEMA.fixed);
      return describeQueue(name, {
        ...unchanged,
        ...read,
        ...storedSizes(read, before, atomContextOf(call)),
      });
    },
    put: (description, expected) => ({ kind: 'put-queue', description, expected }),
    infoOf: (answer) => expectResult(answer, 'queue-info').queue,
    toEntry: queueEntry,
  };
  return putEntity(queue, call);
}

function putTopic(element: XmlElement, call: RoutedCall): Promise<Response> {
  const name = call.names.entity;
  const topic: PutSteps<TopicInfo> = {
    find: { kind: 'get-topic-info', name },
    describe(before) {
      checkMessageSize(element, before, atomContextOf(call));
      const read = readDescription(TOPIC_SCHEMA, element);
      const unchanged = unchangedProperties(before, TOPIC_SCHEMA.fixed);
      return describeTopic(name, {
        ...unchanged,
        ...read,
        ...storedSizes(read, before, atomContextOf(call)),
      });
    },
    put: (description, expected) => ({ kind: 'put-topic', description, expected }),
    infoOf: (answer) => expectResult(answer, 'topic-info').topic,
    toEntry: topicEntry,
  };
  return putEntity(topic, call);
}

type OfName = {
  readonly kind: 'get-queue-info' | 'get-topic-info' | 'delete-queue' | 'delete-topic';
  readonly name: string;
};

/** Submits the command for a topic if the entity of that name is one, else the command for a queue. */
async function submitEither({ context }: RoutedCall, ofQueue: OfName, ofTopic: OfName): Promise<Result> {
  const found = await context.engine.ask({ kind: 'find-entity', entityPath: ofQueue.name });
  return context.engine.ask(found.kind === 'entity' && found.isTopic ? ofTopic : ofQueue);
}
