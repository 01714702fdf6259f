// What a plain AMQP client does with each broker: the scenarios, the sizes, and how many messages each takes.

export type PlainScenarioName = 'awaited' | 'pipelined' | 'receive' | 'both';

/** In this order the queue is empty after each of the last two. */
export const PLAIN_RUN_ORDER: readonly PlainScenarioName[] = ['awaited', 'pipelined', 'receive', 'both'];

export const PLAIN_TITLES: Readonly<Record<PlainScenarioName, string>> = {
  awaited: 'awaited sends',
  pipelined: 'pipelined sends',
  receive: 'receive',
  both: 'send and receive at once',
};

/** As many as are unanswered in pipelined sends, and as many as a receiver has credit for. */
export const WINDOW = 100;

const AWAITED_COUNT = 500;

export type BodySize = {
  readonly title: string;
  readonly bodyBytes: number;
  readonly pipelinedCount: number;
};

export const BODY_SIZES: readonly BodySize[] = [
  { title: '100 B', bodyBytes: 100, pipelinedCount: 8000 },
  { title: '1 KB', bodyBytes: 1024, pipelinedCount: 8000 },
  { title: '64 KB', bodyBytes: 64 * 1024, pipelinedCount: 800 },
];

export function messageCountOf(scenario: PlainScenarioName, { pipelinedCount }: BodySize): number {
  if (scenario === 'awaited') return AWAITED_COUNT;
  return scenario === 'receive' ? AWAITED_COUNT + pipelinedCount : pipelinedCount;
}
