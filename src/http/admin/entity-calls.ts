// Queues and topics, which share their paths: got, created, changed and deleted.

import { describeQueue } from '../../broker/entity/queue-description.js';
import { describeTopic } from '../../broker/entity/topic-description.js';
import type { QueueInfo, Result, TopicInfo } from '../../broker/result.js';
import { expectResult } from '../broker-answers.js';
import type { XmlElement } from '../xml/xml-element.js';
import { type AdminCall, placeOf, readContent } from './admin-call.js';
import type { Entity } from './admin-resource.js';
import { entryResponse } from './atom.js';
import { keptOf, type Putting, putEntity } from './put-entity.js';
import { QUEUE_KIND } from './queue-kind.js';
import { readDescription } from './read-description.js';
import { toldQueue, toldTopic } from './told-entities.js';
import { checkMessageSize, meantSizes } from './told-sizes.js';
import { TOPIC_KIND } from './topic-kind.js';

export async function getEntity({ name }: Entity, call: AdminCall): Promise<Response> {
  const found = await ofEither(call, { kind: 'get-queue-info', name }, { kind: 'get-topic-info', name });
  return found.kind === 'queue-info'
    ? entryResponse(toldQueue(found.queue, placeOf(call)), call.url)
    : entryResponse(toldTopic(expectResult(found, 'topic-info').topic, placeOf(call)), call.url);
}

export async function deleteEntity({ name }: Entity, call: AdminCall): Promise<Response> {
  const gone = await ofEither(call, { kind: 'delete-queue', name }, { kind: 'delete-topic', name });
  expectResult(gone, 'done');
  return new Response(null, { status: 200 });
}

/** Why a topic was refused, in `cause`; only the description in the request says that it is no queue. */
export class TopicRefused extends Error {
  constructor(cause: unknown) {
    super('a topic was refused', { cause });
  }
}

/** Which of the two it is to be is said by its description. */
export async function putQueueOrTopic(entity: Entity, call: AdminCall): Promise<Response> {
  const description = await readContent(call, [QUEUE_KIND.element, TOPIC_KIND.element]);
  if (description.localName === QUEUE_KIND.element) return putQueue(entity, description, call);
  try {
    return await putTopic(entity, description, call);
  } catch (error) {
    throw new TopicRefused(error);
  }
}

function putQueue({ name }: Entity, element: XmlElement, call: AdminCall): Promise<Response> {
  const queue: Putting<QueueInfo> = {
    find: { kind: 'get-queue-info', name },
    describe(before) {
      checkMessageSize(element, before, placeOf(call));
      const read = readDescription(QUEUE_KIND, element);
      const kept = keptOf(before, QUEUE_KIND.fixed);
      return describeQueue(name, { ...kept, ...read, ...meantSizes(read, before, placeOf(call)) });
    },
    put: (description, expected) => ({ kind: 'put-queue', description, expected }),
    infoOf: (answer) => expectResult(answer, 'queue-info').queue,
    tell: toldQueue,
  };
  return putEntity(queue, call);
}

function putTopic({ name }: Entity, element: XmlElement, call: AdminCall): Promise<Response> {
  const topic: Putting<TopicInfo> = {
    find: { kind: 'get-topic-info', name },
    describe(before) {
      checkMessageSize(element, before, placeOf(call));
      const read = readDescription(TOPIC_KIND, element);
      const kept = keptOf(before, TOPIC_KIND.fixed);
      return describeTopic(name, { ...kept, ...read, ...meantSizes(read, before, placeOf(call)) });
    },
    put: (description, expected) => ({ kind: 'put-topic', description, expected }),
    infoOf: (answer) => expectResult(answer, 'topic-info').topic,
    tell: toldTopic,
  };
  return putEntity(topic, call);
}

type OfName = {
  readonly kind: 'get-queue-info' | 'get-topic-info' | 'delete-queue' | 'delete-topic';
  readonly name: string;
};

/** What is done to a queue or to a topic, whichever there is; both are asked in one tick. Throws the error that says more. */
async function ofEither({ context }: AdminCall, ofQueue: OfName, ofTopic: OfName): Promise<Result> {
  const [queue, topic] = await Promise.all([context.engine.ask(ofQueue), context.engine.ask(ofTopic)]);
  const isNoQueue = queue.kind === 'failed' && queue.error.reason === 'entity-not-found';
  return isNoQueue ? topic : queue;
}
