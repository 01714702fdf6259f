// `jitney show` and `jitney history`: one message of the running emulator with all that is known of it, and what has happened to it.

import type { HistoryAnswer } from '../../http/control/control-schemas.js';
import { isOfKind, JitneyError } from '../../jitney-error.js';
import type { CommandOutput } from '../output/command-context.js';
import { localTime } from '../output/local-time.js';
import { oneLine } from '../output/one-line.js';
import type { ControlClient } from './control-client.js';

type Event = { readonly time: string; readonly text: string; readonly client?: { readonly label: string } };
type History = Omit<HistoryAnswer, 'events'> & { readonly events: readonly Event[] };
type Named = { readonly entity: string; readonly number: bigint };

export async function showMessage(
  client: ControlClient,
  { entity, number }: Named,
  { stdout, isJson }: CommandOutput,
): Promise<void> {
  const call = { name: `messages/${number}`, query: { entity } };
  const message = await client.call<Readonly<Record<string, unknown>>>(call).catch(async (error) => {
    throw await withWhereabouts(error, client, { entity, number });
  });
  stdout(isJson ? `${JSON.stringify(message)}\n` : messageFields(message));
}

/** Adds to the error where the message is, or what tells what became of it. */
async function withWhereabouts(
  error: unknown,
  client: ControlClient,
  { entity, number }: Named,
): Promise<unknown> {
  if (!isOfKind(error, 'call-refused')) return error;
  const dead = `${entity}/$DeadLetterQueue`;
  const finds = (call: Parameters<ControlClient['call']>[0]) => client.call<object>(call).catch(() => ({}));
  if ('body' in (await finds({ name: `messages/${number}`, query: { entity: dead } })))
    return withHelp(error, `It is a dead letter:  jitney show '${oneLine(dead)}' ${number}${client.options}`);
  const query = { entity, sequenceNumber: String(number) };
  const { events = [] }: Partial<History> = await finds({ name: 'history', query });
  if (events.length === 0) return error;
  return withHelp(
    error,
    `What happened to it:  jitney history '${oneLine(entity)}' ${number}${client.options}`,
  );
}

function withHelp({ kind, message, problems }: JitneyError, line: string): JitneyError {
  return new JitneyError(kind, message, { problems: [...problems, line] });
}

/** A line for each field of a message, without its bytes. */
export function messageFields(message: Readonly<Record<string, unknown>>): string {
  const { raw: _, body, ...fields } = message;
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${shown(value)}`);
  return `${[...lines, `body: ${shown(bodyOf(body))}`].join('\n')}\n`;
}

export async function showHistory(
  client: ControlClient,
  { entity, number }: Named,
  { stdout, stderr, isJson }: CommandOutput,
): Promise<void> {
  const query = { entity, sequenceNumber: String(number) };
  const history = await client.call<History>({ name: 'history', query });
  if (isJson) {
    stdout(`${JSON.stringify(history)}\n`);
    return;
  }
  const { events, isComplete, since, omittedDeliveries } = history;
  if (events.length === 0) stderr(`Nothing is recorded of message ${number} of '${oneLine(entity)}'.\n`);
  for (const { time, text, client: by } of events) {
    stdout(`${localTime(time)}  ${oneLine(text)}${by === undefined ? '' : `  (${oneLine(by.label)})`}\n`);
  }
  if (omittedDeliveries > 0) stderr(`${omittedDeliveries} deliveries in between are left out.\n`);
  if (!isComplete && since !== undefined) stderr(`What was before ${since} is not recorded.\n`);
}

function bodyOf(body: unknown): unknown {
  const { kind, text, value, base64 } = body as Readonly<Record<string, unknown>>;
  if (kind === 'empty') return '';
  return text ?? value ?? base64;
}

function shown(value: unknown): string {
  return oneLine(typeof value === 'string' ? value : JSON.stringify(value));
}
