// The endpoint alone as the target of a fuzzer: one input a connection, its owner as capricious as the input.

import assert from 'node:assert';
import { Connection } from '../../src/amqp/protocol/connection.js';
import type { Link } from '../../src/amqp/protocol/link-table.js';
import type { IncomingDelivery } from '../../src/amqp/protocol/sender-link.js';
import type { DeliveryState } from '../../src/codec/delivery-state.js';
import { Random } from '../simulation/random.js';
import type { Tally } from '../simulation/tally.js';
import { amqpSessionOf } from '../support/amqp-session-of.js';
import { EndpointOwner } from '../support/endpoint-owner.js';
import { chunksOf, seedOf } from './input.js';
import { OutputCheck } from './output-check.js';

const IDENTITY = { containerId: 'an endpoint', product: 'Jitney', version: '0.0.0' } as const;
const NOT_FOUND = { condition: 'amqp:not-found', description: 'There is no such thing.' } as const;
/** Far above what any input takes, far below a hang. */
const PATIENCE_MS = 3000;

/** Sends one input to a connection of its own and checks what came of it; throws when that is a bug. */
export function runOnEndpoint(input: Buffer, tally: Tally): void {
  const startedAt = performance.now();
  const random = new Random(seedOf(input));
  const late: Link[] = [];
  const owner = new EndpointOwner({
    credit: random.pick([0, 5, 100]),
    ...(random.chance(0.5) ? { maxMessageSize: 1000 } : {}),
    outcomeOf: (delivery) => outcomeOf(random, delivery),
    onAttached: (link, self) => whim(random, link, self, late),
  });
  const connection = new Connection(owner, IDENTITY);
  const isReading = random.chance(0.9);
  const output: Buffer[] = [];
  for (const chunk of chunksOf(input, random)) {
    connection.receive(chunk);
    if (isReading) takeOutput(connection, output);
    if (random.chance(0.3)) connection.roomMade();
    for (const link of late.splice(0)) answer(random, link, owner);
  }
  for (const receiver of owner.receivers) receiver.pump();
  connection.tick(0);
  takeOutput(connection, output);
  const isOurEnd = connection.isEnded;
  const shape = { maxFrameSize: owner.opens[0]?.maxFrameSize ?? 0, areMessagesChecked: false, tally };
  checkOutput(owner, Buffer.concat(output), new OutputCheck(shape), isOurEnd);
  connection.disconnected();
  takeOutput(connection, []);
  checkEnd(owner, connection);
  const tookMs = performance.now() - startedAt;
  assert(tookMs < PATIENCE_MS, `the input took ${Math.round(tookMs)} ms`);
}

function takeOutput(connection: Connection, output: Buffer[]): void {
  for (let hasMore = true; hasMore; ) {
    const taken = connection.takeOutput();
    output.push(...taken.buffers);
    hasMore = taken.hasMore;
  }
}

function whim(random: Random, link: Link, owner: EndpointOwner, late: Link[]): void {
  if (random.chance(0.2)) late.push(link);
  else answer(random, link, owner);
}

function answer(random: Random, link: Link, owner: EndpointOwner): void {
  if (random.chance(0.1)) {
    link.refuse(NOT_FOUND);
    return;
  }
  owner.accept(link);
  const receiver = owner.receivers.at(-1);
  if (receiver?.link === link) {
    for (let count = random.integer(6); count > 0; count--) {
      const size = random.pick([0, 1, 100, 3000, 5000]);
      receiver.send(Buffer.alloc(size), Buffer.alloc(random.integer(900)));
    }
  }
  if (random.chance(0.05)) link.detach(random.chance(0.5) ? NOT_FOUND : undefined);
  if (random.chance(0.01)) amqpSessionOf(link).end(NOT_FOUND);
  if (random.chance(0.005)) closeConnectionOf(link);
}

function closeConnectionOf(link: Link): void {
  const { connection } = amqpSessionOf(link);
  assert(connection instanceof Connection);
  connection.close(NOT_FOUND);
}

function outcomeOf(random: Random, { isTooLarge }: IncomingDelivery): DeliveryState | undefined {
  if (isTooLarge) return { kind: 'rejected', error: NOT_FOUND };
  return random.pick([{ kind: 'accepted' }, { kind: 'accepted' }, { kind: 'released' }, undefined] as const);
}

function checkOutput(owner: EndpointOwner, output: Buffer, check: OutputCheck, isOurEnd: boolean): void {
  check.check(output);
  const [end] = owner.ends;
  if (end?.fault !== undefined) throw new Error('a fault of the endpoint', { cause: end.fault });
  assert(check.isOpened === (owner.opens.length === 1), 'the open was not answered');
  assert(check.isClosed === (isOurEnd && check.isOpened), 'the end was not said, or said without being one');
  assert(
    !check.isClosed || (check.closeError === undefined) === (end?.error === undefined),
    'the close does not say why',
  );
  assert(!isOurEnd || output.length > 0, 'a connection ended without a word');
}

function checkEnd(owner: EndpointOwner, connection: Connection): void {
  assert(owner.ends.length === 1, `the end was told ${owner.ends.length} times`);
  for (const owned of owner.owned) {
    assert(
      owned.detachedCount === (owned.isAttached ? 1 : 0),
      `a link was detached ${owned.detachedCount} times`,
    );
  }
  assert(connection.held.unfinished === 0, `${connection.held.unfinished} bytes of messages are left behind`);
  const unsettled = owner.links.flatMap((link) => amqpSessionOf(link).outgoing.unsettledIds);
  assert(unsettled.length === 0, `${unsettled.length} deliveries are left behind`);
}
