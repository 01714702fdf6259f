// What a transaction holds counts where halves of messages do, on the connection that it was declared on.

import { expect, test } from 'vitest';
import { CrossEntitySessions } from '../../src/amqp/links/cross-entity.js';
import { ConnectionTransactions, TransactionIds } from '../../src/amqp/links/transactions.js';
import type { SenderLink } from '../../src/amqp/protocol/sender-link.js';
import type { SingleCommand } from '../../src/broker/contract/command.js';
import { openEndpoint } from '../support/endpoint-under-test.js';
import { senderFields } from '../support/frame-fields.js';
import { openSession } from '../support/frame-links.js';

const COMMAND: SingleCommand = { kind: 'send', entityPath: 'q', messages: [] };

test.each([
  ['discharged', (all: ConnectionTransactions, id: Uint8Array) => all.ended(id, true)],
  [
    'left by its control link',
    (all: ConnectionTransactions, _id: Uint8Array, link: SenderLink) => void all.rollBacks(link),
  ],
])('bytes of messages are held until the transaction is %s [TXN-04]', async (_name, end) => {
  const endpoint = openEndpoint();
  const session = await openSession(endpoint);
  session.send('attach', senderFields(0));
  await session.take('attach');
  const link = endpoint.owner.links[0] as SenderLink;
  const { connection } = endpoint;
  const transactions = new ConnectionTransactions({
    ids: new TransactionIds('0123456789abcdef0123456789abcdef'),
    sessions: new CrossEntitySessions({ isLifted: () => false }),
    connectionId: () => 1,
  });
  const transactionId = transactions.declared(7, link);
  const membership = { transactionId, amqpSession: link.amqpSession, heldBytes: 1000 };
  expect(transactions.enlistment(COMMAND, membership)).toMatchObject({ transactionId: 7, via: undefined });
  transactions.enlistment(COMMAND, { ...membership, heldBytes: 500 });
  expect(connection.held.unfinished).toBe(1500);
  transactions.refused({ ...membership, heldBytes: 500 }, 'quota-exceeded');
  transactions.enlistment(COMMAND, { ...membership, transactionId: Buffer.alloc(16) });
  expect(connection.held.unfinished).toBe(1000);
  end(transactions, transactionId, link);
  transactions.refused(membership, 'quota-exceeded');
  expect(connection.held.unfinished).toBe(0);
});
