// `jitney load`: puts messages from a file of lines, as `peek --raw` and `GET messages` give them, into an entity of the running emulator.

import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { whyUnreadable } from '../../config/why-unreadable.js';
import { isOfKind, JitneyError } from '../../jitney-error.js';
import { usageError } from '../output/error-report.js';
import { oneLine } from '../output/one-line.js';
import { countOf, type Write } from '../output/output.js';
import type { ControlClient } from './control-client.js';

type Loading = { readonly entity: string; readonly file: string; readonly isJson: boolean };
type Batch = { readonly lines: object[]; readonly first: number };

/** A request has at most so many bytes, unless one message has more. */
const MOST_BYTES = 1024 * 1024;
const MOST_LINES = 1000;

/** Throws a JitneyError, which says after which line nothing was taken. */
export async function loadMessages(
  client: ControlClient,
  { entity, file, isJson }: Loading,
  { stdout }: { readonly stdout: Write },
): Promise<void> {
  let count = 0;
  const keepsReasons = /\/\$DeadLetterQueue$/i.test(entity);
  for await (const { lines, first } of batchesIn(file)) {
    const call = {
      method: 'POST',
      name: 'messages:import',
      query: { entity },
      body: { messages: keepsReasons ? lines : lines.map(withoutReasons) },
    } as const;
    const answer = await client.call<{ readonly count: number }>(call).catch((error) => {
      throw withPlace(error, first, lines.length, count);
    });
    count += answer.count;
  }
  stdout(
    isJson
      ? `${JSON.stringify({ count })}\n`
      : `Loaded ${countOf(count, 'message')} into '${oneLine(entity)}'.\n`,
  );
}

/** A dead letter that comes back to life does not say any more why it was one. */
function withoutReasons(line: object): object {
  const { deadLetterReason, deadLetterErrorDescription, applicationProperties, ...others } = line as {
    readonly [name: string]: unknown;
    readonly applicationProperties?: unknown;
  };
  if (typeof applicationProperties !== 'object' || applicationProperties === null)
    return { ...others, applicationProperties };
  const { DeadLetterReason, DeadLetterErrorDescription, ...kept } = applicationProperties as Record<
    string,
    unknown
  >;
  return { ...others, applicationProperties: kept };
}

function withPlace(error: unknown, first: number, lineCount: number, count: number): unknown {
  if (!(error instanceof JitneyError) || !isOfKind(error, 'call-refused')) return error;
  const lines = lineCount === 1 ? `line ${first}` : `lines ${first} to ${first + lineCount - 1}`;
  const place = `In ${lines}: ${error.message}`;
  const taken = `${countOf(count, 'message')} before line ${first} are loaded; nothing from there on is`;
  return new JitneyError(error.kind, place, { problems: [...error.problems, taken], cause: error });
}

async function* batchesIn(file: string): AsyncGenerator<Batch> {
  let lines: object[] = [];
  let bytes = 0;
  let number = 0;
  let first = 1;
  for await (const text of textsIn(file)) {
    number += 1;
    if (text.trim() === '') continue;
    if (lines.length === MOST_LINES || (lines.length > 0 && bytes + text.length > MOST_BYTES)) {
      yield { lines, first };
      lines = [];
      bytes = 0;
    }
    if (lines.length === 0) first = number;
    lines.push(parsed(text, number));
    bytes += text.length;
  }
  if (lines.length > 0) yield { lines, first };
}

async function* textsIn(file: string): AsyncGenerator<string> {
  const input = file === '-' ? process.stdin : createReadStream(file);
  try {
    // A pipeline passes errors on; readline alone does not report errors of its input.
    const failed = new Promise<never>((_, reject) => input.once('error', reject));
    failed.catch(() => {});
    const lines = createInterface({ input })[Symbol.asyncIterator]();
    for (;;) {
      const next = await Promise.race([lines.next(), failed]);
      if (next.done === true) return;
      yield next.value;
    }
  } catch (error) {
    throw usageError(`${file} cannot be read: ${await whyUnreadable(file, error)}`, error);
  }
}

function parsed(text: string, number: number): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // The same message as for JSON that is no object.
  }
  throw usageError(
    `line ${number} must be a message as a JSON object, not ${JSON.stringify(text.slice(0, 60))}`,
  );
}
