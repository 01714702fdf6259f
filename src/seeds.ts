// The messages of `--seed`: read and checked before anything starts, then stored with the first entities of an empty emulator as one
// step, so that there are all of them or none.

import { readFile } from 'node:fs/promises';
import type { Broker } from './broker/broker.js';
import { assert } from './broker/contract/assert.js';
import type { Command } from './broker/contract/command.js';
import { ContentUnreadable } from './broker/contract/content-unreadable.js';
import { type Instant, NEVER } from './broker/contract/instant.js';
import type { Result } from './broker/contract/result.js';
import type { GivenMessage } from './config/given-message.js';
import { RequestProblem } from './http/error-response.js';
import { JitneyError } from './jitney-error.js';

/** A line, with its place for an error, such as `seed.ndjson:3`. */
type Line = { readonly place: string; readonly value: unknown };

export type Seed = { readonly place: string; readonly command: Command };

/** The most lines that an error lists. */
const MAX_LISTED = 20;
/** Keys of a message that was somewhere before, as `GET messages` and `peek --json` show it. One to be sent has none of these. */
const SHOWN_ONLY = ['sequenceNumber', 'state', 'raw', 'enqueuedTime', 'deliveryCount', 'deadLetterReason'];

/** Reads the messages of the option. Throws a JitneyError that lists each wrong line. */
export async function readSeeds(
  given: string | readonly GivenMessage[] | undefined,
): Promise<readonly Seed[]> {
  if (given === undefined) return [];
  const { commandOf } = await seedReader();
  const seeds: Seed[] = [];
  const problems: string[] = [];
  for (const { place, value } of typeof given === 'string'
    ? await readLines(given, problems)
    : linesOf(given)) {
    try {
      seeds.push({ place, command: commandOf(value) });
    } catch (error) {
      if (!(error instanceof RequestProblem)) throw error;
      problems.push(`${place}: ${error.message}`);
    }
  }
  refuseAny(problems);
  return seeds;
}

/** Loads what reads messages of the control interface: zod is slow to load, and most starts have no seed. */
async function seedReader(): Promise<{ readonly commandOf: (value: unknown) => Command }> {
  const { checkShape, importedMessageSchema, sentMessageSchema, seedSchema } = await import(
    './http/control/control-requests.js'
  );
  const { importedMessage, newMessage } = await import('./http/control/message-answers.js');
  const now = Date.now();
  return {
    commandOf(value) {
      const { entity: entityPath, ...message } = checkShape(value, seedSchema, 'The message');
      if (SHOWN_ONLY.some((name) => Object.hasOwn(message, name))) {
        const line = checkShape(message, importedMessageSchema, 'The message');
        return { kind: 'import-messages', entityPath, messages: [importedMessage(line, 0, now)] };
      }
      const sent = checkShape(message, sentMessageSchema, 'The message');
      return { kind: 'send', entityPath, messages: [newMessage(sent, now)] };
    },
  };
}

async function readLines(file: string, problems: string[]): Promise<readonly Line[]> {
  const text = await readFile(file, 'utf8').catch((cause: Error) => {
    throw new JitneyError('bad-seed', `The seed cannot be read: ${cause.message}`, { cause });
  });
  return text.split('\n').flatMap((line, index): Line[] => {
    if (line.trim() === '') return [];
    const place = `${file}:${index + 1}`;
    try {
      return [{ place, value: JSON.parse(line) }];
    } catch (error) {
      problems.push(`${place}: The line must be JSON: ${(error as Error).message}.`);
      return [];
    }
  });
}

/** Through JSON, so that a program may give a Date. */
function linesOf(given: readonly GivenMessage[]): readonly Line[] {
  return given.map((message, index) => ({
    place: `seed[${index}]`,
    value: JSON.parse(JSON.stringify(message) ?? 'null'),
  }));
}

function refuseAny(problems: readonly string[]): void {
  if (problems.length === 0) return;
  const more = problems.length - MAX_LISTED;
  const listed = problems.slice(0, MAX_LISTED);
  const rest = more > 0 ? [`and ${more} more`] : [];
  throw new JitneyError('bad-seed', 'The seed has messages that cannot be stored, so nothing was started.', {
    problems: [...listed, ...rest],
  });
}

/** A broker in memory that becomes what the emulator will be: entities first, then the messages of the seed. */
export class SeededBroker {
  readonly #broker: Broker;
  readonly #contents = new Map<number, Uint8Array>();
  #now: Instant;

  constructor(broker: Broker, now: Instant) {
    this.#broker = broker;
    this.#now = now;
    broker.readContentsFrom((contentId) => {
      const content = this.#contents.get(contentId);
      if (content === undefined) throw new ContentUnreadable(contentId, 'the seed does not have it');
      return content;
    });
  }

  async ask(command: Command): Promise<Result> {
    const { result, events } = this.#broker.execute(command, this.#now);
    for (const event of events) {
      if (event.kind === 'content-stored') this.#contents.set(event.contentId, event.content);
    }
    return result;
  }

  /** Stores the messages. Throws a JitneyError that lists each message that is refused. */
  async take(seeds: readonly Seed[]): Promise<void> {
    const problems: string[] = [];
    for (const { place, command } of seeds) {
      const result = await this.ask(command);
      if (result.kind === 'failed') problems.push(`${place}: ${result.error.message}`);
    }
    refuseAny(problems);
  }

  /** The command by which another broker becomes this one. Throws a JitneyError if it is too much for one step. */
  async restoring(): Promise<Command> {
    for (;;) {
      const result = await this.ask({ kind: 'take-snapshot' });
      if (result.kind === 'snapshot') {
        return { kind: 'restore-snapshot', snapshot: result.snapshot, contents: this.#contents };
      }
      assert(result.kind === 'failed', 'a snapshot was neither taken nor refused');
      const { reason, message } = result.error;
      if (reason !== 'server-busy') throw new JitneyError('bad-seed', `The seed is too large. ${message}`);
      await this.#doMore();
    }
  }

  /** Copies of a topic's message are made in several turns (TOP-15). */
  async #doMore(): Promise<void> {
    const next = this.#broker.nextDeadline();
    this.#now = next === NEVER ? this.#now + 1 : Math.max(next, this.#now + 1);
    await this.ask({ kind: 'tick' });
  }
}
