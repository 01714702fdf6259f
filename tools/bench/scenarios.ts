// What is measured: ways in which programs use a queue, through the official SDK and through a plain AMQP client.

/** What a client program is asked to do. */
export type Task = {
  readonly port: number;
  /** The queue, as the broker names it. */
  readonly address: string;
  readonly isDurable: boolean;
  readonly action: string;
  readonly messageCount: number;
  readonly bodyBytes: number;
};

export type Scenario = Pick<Task, 'action' | 'messageCount' | 'bodyBytes'> & {
  readonly title: string;
  /** The least ratio of Jitney's rate to that of the broker it is compared with. */
  readonly target?: number;
};

export const QUEUE = 'bench';
/** Messages in one call of the SDK; and as many as a plain client leaves unanswered, and has credit for. */
export const GROUP = 100;

const BODY_BYTES = 1024;
const OF_NULL = { bodyBytes: BODY_BYTES, target: 0.6 };

/** In this order the queue is empty again after the second and after the last. */
export const SDK_SCENARIOS = [
  { title: '100 parallel sends', action: 'parallel', messageCount: 6000, ...OF_NULL },
  { title: 'receive 100 + complete all', action: 'complete', messageCount: 6000, ...OF_NULL },
  { title: 'awaited sends', action: 'awaited', messageCount: 2000, ...OF_NULL },
  { title: 'arrays of 100', action: 'arrays', messageCount: 10_000, ...OF_NULL },
  { title: 'receive-and-delete', action: 'delete', messageCount: 12_000, ...OF_NULL },
] as const satisfies readonly Scenario[];

/** Whose costs are those of bytes, and not of messages. */
export const LARGE_SCENARIOS: readonly Scenario[] = plainScenarios('64 KB', {
  bodyBytes: 64 * 1024,
  count: 800,
  target: 1.2,
});

export const PLAIN_SCENARIOS: readonly Scenario[] = [
  ...plainScenarios('100 B', { bodyBytes: 100, count: 8000 }),
  ...plainScenarios('1 KB', { bodyBytes: 1024, count: 8000, target: 2 }),
  ...LARGE_SCENARIOS,
];

type Size = { readonly bodyBytes: number; readonly count: number; readonly target?: number };

/** In this order the queue is empty after each of the last two. */
function plainScenarios(size: string, { bodyBytes, count, ...target }: Size): Scenario[] {
  const awaitedCount = 500;
  return [
    { title: `awaited sends, ${size}`, action: 'awaited', messageCount: awaitedCount, bodyBytes },
    { title: `pipelined sends, ${size}`, action: 'pipelined', messageCount: count, bodyBytes, ...target },
    {
      title: `receive, ${size}`,
      action: 'receive',
      messageCount: awaitedCount + count,
      bodyBytes,
      ...target,
    },
    { title: `send and receive at once, ${size}`, action: 'both', messageCount: count, bodyBytes, ...target },
  ];
}
