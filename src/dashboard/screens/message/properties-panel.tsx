// The properties of a message as they came over AMQP, with their types, and what the broker has set.

import { useState } from 'preact/hooks';
import type { RawMessageAnswer } from '../../../http/control/control-schemas.js';
import { CopyButton } from '../../parts/copy-button.js';
import { Given, Panel } from '../../parts/panel.js';
import { dateTimeText, durationText, numberText } from '../../state/format.js';
import { propertyText } from '../../state/property-text.js';
import { hrefOf } from '../../state/route.js';
import { sendCommand } from '../../state/send-command.js';
import { useStore } from '../../state/use-store.js';
import { messageJson } from '../entity/export-messages.js';

type Row = {
  readonly name: string;
  readonly type: string;
  readonly value: string | undefined;
  readonly href?: string;
};

/** The fields of AMQP's properties section, with the types that Service Bus gives them. */
const FIELDS = [
  ['message-id', 'string', 'messageId'],
  ['to', 'string', 'to'],
  ['subject', 'string', 'subject'],
  ['reply-to', 'string', 'replyTo'],
  ['correlation-id', 'string', 'correlationId'],
  ['content-type', 'symbol', 'contentType'],
  ['group-id', 'string', 'sessionId'],
  ['reply-to-group-id', 'string', 'replyToSessionId'],
  ['partition-key', 'string', 'partitionKey'],
  ['via-partition-key', 'string', 'viaPartitionKey'],
] as const;

type PropertiesProps = {
  readonly message: RawMessageAnswer;
  /** The path of the queue, subscription or dead-letter queue. */
  readonly store: string;
};

export function PropertiesPanel({ message, store }: PropertiesProps) {
  const { info } = useStore();
  const [isWhole, setWhole] = useState(false);
  const { annotations } = message;
  const fields = FIELDS.map(([name, type, field]) => fieldRow(name, type, message[field], field));
  const set = fields.filter(({ value }) => value !== undefined);
  return (
    <Panel
      title="Properties"
      acts={
        <>
          <button type="button" class="sm" aria-pressed={isWhole} onClick={() => setWhole(!isWhole)}>
            {numberText(fields.length - set.length)} not set
          </button>
          <CopyButton text={() => messageJson(message)} label="Copy as JSON" />
          <CopyButton
            text={() => sendCommand(message, store, info.peek()?.ports.port)}
            label="Copy as jitney send"
          />
        </>
      }
    >
      <table class="props">
        <caption class="vh">Properties of the message</caption>
        <thead class="vh">
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Value</th>
            <th scope="col">AMQP type</th>
          </tr>
        </thead>
        <tbody>
          <Group title="Application properties" rows={typedRows(sentBy(message))} />
          <Group title="Properties" rows={isWhole ? fields : set} />
          <Group title="Annotations" rows={typedRows(annotations)} />
          <Group title="Set by the broker" rows={brokerRows(message)} />
        </tbody>
      </table>
    </Panel>
  );
}

function Group({ title, rows }: { readonly title: string; readonly rows: readonly Row[] }) {
  if (rows.length === 0) return null;
  return (
    <>
      <tr>
        <th class="h" colSpan={3} scope="rowgroup">
          {title}
        </th>
      </tr>
      {rows.map(({ name, type, value, href }) => (
        <tr key={name}>
          <th scope="row" class="m">
            <Given text={name} most={200} />
          </th>
          <td class="m value">
            {value === undefined ? (
              <span class="t3">not set</span>
            ) : href === undefined ? (
              <Given text={value} most={2000} />
            ) : (
              <a class="acc" href={href}>
                <Given text={value} most={2000} />
              </a>
            )}
          </td>
          <td class="t3">{type}</td>
        </tr>
      ))}
    </>
  );
}

function fieldRow(name: string, type: string, value: string | undefined, field: string): Row {
  const filter = field === 'correlationId' ? 'correlation' : field === 'sessionId' ? 'session' : undefined;
  if (value === undefined || filter === undefined) return { name, type, value };
  return { name, type, value, href: hrefOf({ screen: 'timeline', filter: `${filter}:${value}` }) };
}

/** The properties without those that dead-lettering has added: they are said beside. */
function sentBy(message: RawMessageAnswer): RawMessageAnswer['applicationProperties'] {
  const { applicationProperties, deadLetterReason, deadLetterErrorDescription } = message;
  if (deadLetterReason === undefined && deadLetterErrorDescription === undefined)
    return applicationProperties;
  const { DeadLetterReason: _, DeadLetterErrorDescription: __, ...others } = applicationProperties;
  return others;
}

function typedRows(values: RawMessageAnswer['applicationProperties']): readonly Row[] {
  return Object.entries(values).map(([name, property]) => {
    const { type, text } = propertyText(property);
    return { name, type, value: type === 'string' ? JSON.stringify(text) : text };
  });
}

function brokerRows(message: RawMessageAnswer): readonly Row[] {
  const { sequenceNumber, enqueuedTime, deliveryCount, expiresAt, scheduledTime, lock, timeToLiveMs } =
    message;
  const optional = (name: string, type: string, value: string | undefined): readonly Row[] =>
    value === undefined ? [] : [{ name, type, value }];
  return [
    { name: 'sequence-number', type: 'long', value: String(sequenceNumber) },
    { name: 'enqueued-time', type: 'timestamp', value: dateTimeText(enqueuedTime) },
    { name: 'delivery-count', type: 'uint', value: String(deliveryCount) },
    ...optional('locked-until', 'timestamp', lock?.lockedUntil && dateTimeText(lock.lockedUntil)),
    ...optional('scheduled-for', 'timestamp', scheduledTime && dateTimeText(scheduledTime)),
    ...optional('time-to-live', 'uint', timeToLiveMs === undefined ? undefined : durationText(timeToLiveMs)),
    ...optional('expires-at', 'timestamp', expiresAt && dateTimeText(expiresAt)),
    ...optional('lock-token', 'uuid', lock && `${lock.tokenStart}…`),
    ...optional('enqueued-sequence-number', 'long', message.enqueuedSequenceNumber?.toString()),
    ...optional('partition-id', 'short', message.partitionId?.toString()),
    ...optional(
      'dead-lettered-time',
      'timestamp',
      message.deadLetteredTime && dateTimeText(message.deadLetteredTime),
    ),
    ...optional('last-holder', 'string', message.lastHolder),
    ...optional('dead-letter-source', 'string', message.deadLetterSource),
  ];
}
