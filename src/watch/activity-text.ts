// One line of text for a record: which message or entity it is about, what happened, and for which client. It is for people; programs
// read the fields.

import { type ActivityRecord, type Client, NO_CONNECTION } from './activity-record.js';
import { clientText } from './client-label.js';
import { eventText } from './record-kinds.js';

/** Describes a record in one line without a line feed. Values from clients may have control characters, which the writer of the log escapes. */
export function describeActivity(record: ActivityRecord): string {
  const about = subjectOf(record);
  const by = record.client === undefined ? '' : `  [${clientWithConnection(record.client)}]`;
  return `${about === '' ? '' : `${about}  `}${eventText(record)}${by}`;
}

/** The message, or the entity; empty for a record of neither. */
function subjectOf(record: ActivityRecord): string {
  if (!('path' in record) || record.path === undefined || record.path === '') return '';
  const { path } = record;
  return 'sequenceNumber' in record ? messageName({ ...record, path }) : `'${path}'`;
}

export function clientWithConnection(client: Client): string {
  const { connectionId } = client;
  return `${connectionId === NO_CONNECTION ? 'by hand' : `connection ${connectionId}`}, ${clientText(client)}`;
}

export function messageName({ path, sequenceNumber }: { path: string; sequenceNumber: number }): string {
  return `'${path}' #${sequenceNumber}`;
}
