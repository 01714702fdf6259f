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
  const found = await submitBoth(call, { kind: 'get-queue-info', name }, { kind: 'get-topic-info', name });
  return found.kind === 'queue-info'
    ? entryResponse(queueEntry(found.queue, atomContextOf(call)), call.url)
    : entryResponse(topicEntry(expectResult(found, 'topic-info').topic, atomContextOf(call)), call.url);
}

export async function answerDeleteEntity(call: RoutedCall): Promise<Response> {
  const name = call.names.entity;
  const deleted = await submitBoth(call, { kind: 'delete-queue', name }, { kind: 'delete-topic', name });
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

/** Submits a command for a queue and one for a topic in the same tick. Returns the queue's result unless the queue is missing. */
async function submitBoth({ context }: RoutedCall, ofQueue: OfName, ofTopic: OfName): Promise<Result> {
  const [queue, topic] = await Promise.all([context.engine.ask(ofQueue), context.engine.ask(ofTopic)]);
  const isNoQueue = queue.kind === 'failed' && queue.error.reason === 'entity-not-found';
  return isNoQueue ? topic : queue;
}
