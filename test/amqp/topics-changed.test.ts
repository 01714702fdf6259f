// Links to topics and subscriptions that are changed or deleted under them.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Command } from '../../src/broker/contract/command.js';
import { describeTopic } from '../../src/broker/contract/entities/topic-description.js';
import { type EmulatorUnderTest, openEmulatorUnderTest } from '../support/emulator-under-test.js';
import { notation } from '../support/frame-notation.js';
import { LinkClient } from '../support/link-client.js';
import { GOOD } from './management/request-bodies.js';
import { Surroundings } from './management/surroundings.js';

const TOPIC = 'events';
const BILLING = `${TOPIC}/Subscriptions/billing`;
const AUDIT = `${TOPIC}/Subscriptions/audit`;
const GIVEN = { queues: [], topics: [{ name: TOPIC, subscriptions: ['billing', 'audit'] }] };

describe('a link', () => {
  let emulator: EmulatorUnderTest;
  let sender: LinkClient;
  let billing: LinkClient;
  let audit: LinkClient;
  beforeEach(async () => {
    emulator = await openEmulatorUnderTest(GIVEN);
    sender = await LinkClient.open(emulator.connect(), TOPIC);
    await sender.openSender();
    billing = await openReceiver(BILLING);
    audit = await openReceiver(AUDIT);
  });
  afterEach(async () => {
    expect(emulator.faults).toEqual([]);
    await emulator.stop();
  });

  async function openReceiver(path: string): Promise<LinkClient> {
    const client = await LinkClient.open(emulator.connect(), path);
    await client.openReceiver();
    client.give({ credit: 10 });
    return client;
  }

  async function change(command: Command): Promise<void> {
    expect(await emulator.engine.ask(command)).not.toMatchObject({ kind: 'failed' });
  }

  it('to a topic that is deleted is detached, and so are those to its subscriptions [ENT-04, ENT-05]', async () => {
    await change({ kind: 'delete-entity', entityPath: TOPIC });
    for (const client of [sender, billing, audit]) {
      expect(await errorOf(client)).toContain("error['amqp:not-found, ");
    }
  });

  it('to a topic that is disabled is detached, and subscribers keep their messages [ENT-06, ENT-07]', async () => {
    await sender.sendTexts('before');
    await change({
      kind: 'put-entity',
      type: 'topic',
      description: describeTopic(TOPIC, { status: 'Disabled' }),
    });
    expect(await errorOf(sender)).toContain("error['com.microsoft:entity-disabled, ");
    expect(await billing.takeTexts(1)).toEqual(['before']);
    await audit.detach();
  });
});

/** With which the client's link is detached. */
async function errorOf(client: LinkClient): Promise<string> {
  const detach = await client.session.take('detach');
  expect(notation(detach.field('closed'))).toBe('true');
  return notation(detach.field('error'));
}

describe('a management link to a subscription that was deleted', () => {
  it('answers that the entity does not exist [ENT-04, ERR-04]', async () => {
    const given = await Surroundings.open(GIVEN);
    await given.manager(BILLING);
    await given.emulator.engine.ask({ kind: 'delete-entity', entityPath: TOPIC });
    for (const operation of ['enumerate-rules', 'add-rule', 'remove-rule', 'peek-message']) {
      const reply = await given.ask(operation, GOOD[operation] ?? {}, { path: BILLING });
      expect(reply).toMatchObject({ status: 'int 404', condition: "'amqp:not-found" });
      expect(reply.description).toContain(`'sb://localhost/${BILLING}' could not be found.`);
    }
    await given.close();
  });
});
