// Makes brokers that are broken by what they do around each command: they may remember something for it.

import { Broker } from '../../src/broker/broker.js';
import type { TurnBroker } from '../../src/engine/engine.js';
import type { MakeBroker } from './checked-broker.js';

export type Execute = TurnBroker['execute'];

/** What is executed instead, by each broker made. */
export type Remembering = (execute: Execute) => Execute;

export function rememberingBrokers(
  flaws: Readonly<Record<string, Remembering>>,
): readonly (readonly [flaw: string, makeBroker: MakeBroker])[] {
  return Object.entries(flaws).map(([name, flaw]) => [
    name,
    (options) => {
      const broker = new Broker(options);
      return {
        execute: flaw((command, now) => broker.execute(command, now)),
        nextDeadline: () => broker.nextDeadline(),
        holdsLock: (lockToken, now) => broker.holdsLock(lockToken, now),
        restore: (stored) => broker.restore(stored),
        isContentNeeded: (contentId) => broker.isContentNeeded(contentId),
        readContentsFrom: (read) => broker.readContentsFrom(read),
      };
    },
  ]);
}
