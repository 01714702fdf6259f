// The identifier of a sender or receiver, in the place where its SDK sends it.

import { DecodeError } from '../codec/decode-error.js';
import { entryOf, textOf } from '../codec/read-value.js';
import { decodeTerminus } from '../codec/terminus.js';
import { isGenerated } from '../watch/client-label.js';
import { keptText } from '../watch/kept-text.js';
import type { Link } from './protocol/link-table.js';

/** JavaScript, Java and Python send it with receivers. */
const RECEIVER_NAME = 'com.microsoft:receiver-name';
/** Python's AMQP library makes up these addresses. */
const LIBRARY_ADDRESS = /^(?:sender|receiver)-link-/;
const MAX_IDENTIFIER_LENGTH = 120;

/**
 * JavaScript, .NET and Java also send it as the address of the client's end of the link. Python has a connection for each sender and
 * receiver, and names the connection by it. Go has none.
 */
export function identifierOf({ role, attach }: Link, connectionName: string): string | undefined {
  const ownEnd = role === 'sender' ? attach.source : attach.target;
  const given = textOf(entryOf(attach.properties, RECEIVER_NAME)) ?? addressOf(ownEnd);
  if (given === undefined || given === '') return undefined;
  return keptText(LIBRARY_ADDRESS.test(given) ? connectionName : given, MAX_IDENTIFIER_LENGTH);
}

/** An end of the client that cannot be read has no consequence, because nothing else reads it. */
function addressOf(terminus: Uint8Array | undefined): string | undefined {
  try {
    return decodeTerminus(terminus)?.address;
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

/** The identifier, unless the SDK made it up. */
export function chosenIdentifier(identifier: string | undefined): string | undefined {
  return identifier === undefined || isGenerated(identifier) ? undefined : identifier;
}
