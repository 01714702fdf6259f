// `jitney show` and `history` with another service than a Jitney: one message by a peek, and why there is no history.

import type { AmqpClient } from '../../client/amqp-client.js';
import { describeMessage, sequenceNumberOf } from '../../content/shown-message.js';
import { JitneyError } from '../../jitney-error.js';
import { messageFields } from '../control/show-command.js';
import { oneLine } from '../output/one-line.js';
import type { Write } from '../output/output.js';

type OtherService = {
  readonly address: string;
  /** The options that lead to it, such as ` --port 5673`. */
  readonly options: string;
  /** Names it in `jitney copy`. */
  readonly copied: string;
};
type Named = { readonly entity: string; readonly number: bigint; readonly isJson: boolean };

/** Resolves with the exit code: 1 if there is no message of this number. Throws a JitneyError. */
export async function showOther(
  client: AmqpClient,
  { entity, number, isJson }: Named,
  { stdout, stderr }: { readonly stdout: Write; readonly stderr: Write },
): Promise<number> {
  const browser = await client.openBrowser(entity);
  let next = '';
  for await (const content of browser.peek({ from: number, max: 1, numberOf: sequenceNumberOf })) {
    const found = sequenceNumberOf(content);
    if (found === number) {
      const message = describeMessage(content, 'peeked');
      stdout(isJson ? `${JSON.stringify(message)}\n` : messageFields(message));
      return 0;
    }
    next = `; the next one is ${found}`;
  }
  stderr(`'${oneLine(entity)}' has no message ${number}${next}\n`);
  return 1;
}

/** The error of `jitney history`, for a service that records nothing about its messages. */
export function noHistory({ address, options, copied }: OtherService, named: Named): JitneyError {
  const { entity, number } = named;
  const text = `${address} keeps no history of its messages: only a Jitney does`;
  return new JitneyError('refused', text, {
    problems: [
      `Delivery count, state and dead-letter reason:  jitney show '${oneLine(entity)}' ${number}${options}`,
      'What clients did with it is in their own traces: the SDKs write them with OpenTelemetry',
      `To follow such a message at home:  jitney copy ${copied} 5672 --only '${oneLine(entity)}'`,
    ],
  });
}
