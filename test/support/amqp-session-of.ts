// The AMQP session of a link with all that it can do, where a link itself knows no more than a port of it.

import assert from 'node:assert';
import { AmqpSession } from '../../src/amqp/protocol/amqp-session.js';
import type { Link } from '../../src/amqp/protocol/link-table.js';

export function amqpSessionOf(link: Link | undefined): AmqpSession {
  assert(link?.amqpSession instanceof AmqpSession);
  return link.amqpSession;
}
