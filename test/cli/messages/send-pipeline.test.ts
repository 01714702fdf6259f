// Sending many messages: their order, how many are under way, and what is known of each when the sending ends early.

import { expect, test } from 'vitest';
import { type OutgoingMessage, SendPipeline } from '../../../src/cli/messages/send-pipeline.js';
import { JitneyError } from '../../../src/jitney-error.js';

const BIG = 9 * 1024 * 1024;

/** A service that answers when the test says so. */
function pipelineWith({ interrupted = new AbortController().signal } = {}) {
  const answers: PromiseWithResolvers<void>[] = [];
  const accepted: number[] = [];
  const send = () => {
    const answer = withResolvers();
    answers.push(answer);
    return answer.promise;
  };
  const onAccepted = async ({ number }: OutgoingMessage) => void accepted.push(number);
  return { answers, accepted, pipeline: new SendPipeline({ send }, onAccepted, interrupted) };
}

type PromiseWithResolvers<T> = {
  readonly promise: Promise<T>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
};

function withResolvers(): PromiseWithResolvers<void> {
  let resolve = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<void>((...settle) => {
    [resolve, reject] = settle;
  });
  return { promise, resolve, reject };
}

async function* messages(count: number, bytes = 1): AsyncGenerator<OutgoingMessage> {
  for (let number = 1; number <= count; number += 1) {
    yield { number, messageId: '', content: new Uint8Array(bytes) };
  }
}

const turn = () => new Promise((resolve) => setTimeout(resolve, 0));

test.each([
  [1000, 1, 500],
  [3, BIG, 1],
])('of %i messages with %i bytes, %i are under way at a time', async (count, bytes, most) => {
  const { answers, accepted, pipeline } = pipelineWith();
  const sent = pipeline.send(messages(count, bytes));
  await turn();
  expect(answers).toHaveLength(most);
  for (let index = 0; index < count; index += 1) {
    answers[index]?.resolve();
    if (answers[index + 1] === undefined) await turn();
  }
  await sent;
  expect(accepted).toEqual(Array.from({ length: count }, (_, index) => index + 1));
  expect(pipeline).toMatchObject({ acceptedCount: count, stoppedAfter: 0 });
});

test('messages are told in their order, whatever the order of their outcomes', async () => {
  const { answers, accepted, pipeline } = pipelineWith();
  const sent = pipeline.send(messages(2));
  await turn();
  answers[1]?.resolve();
  await turn();
  expect(accepted).toEqual([]);
  answers[0]?.resolve();
  await sent;
  expect(accepted).toEqual([1, 2]);
});

test('a refusal ends the sending, and what is under way is awaited', async () => {
  const { answers, pipeline } = pipelineWith();
  const sent = pipeline.send(messages(1000));
  await turn();
  answers[1]?.reject(new JitneyError('refused', 'full'));
  answers[2]?.reject(new JitneyError('connection-lost', 'gone'));
  await turn();
  for (const [index, answer] of answers.entries()) if (index !== 1 && index !== 2) answer.resolve();
  await sent;
  expect(answers.length).toBeLessThan(1000);
  expect(pipeline.refused.map(({ number }) => number)).toEqual([2]);
  expect(pipeline.unsure.map(({ number }) => number)).toEqual([3]);
  expect(pipeline.stoppedAfter).toBe(answers.length);
  expect(pipeline.acceptedCount).toBe(answers.length - 2);
});

test('an interruption ends it although the input does not end, when the outcomes have come', async () => {
  const interruption = new AbortController();
  const { answers, accepted, pipeline } = pipelineWith({ interrupted: interruption.signal });
  async function* endless() {
    yield* messages(2);
    await new Promise<never>(() => {});
  }
  const sent = pipeline.send(endless());
  await turn();
  answers[0]?.resolve();
  interruption.abort();
  await turn();
  expect(accepted).toEqual([1]);
  answers[1]?.resolve();
  await sent;
  expect(accepted).toEqual([1, 2]);
  expect(pipeline.stoppedAfter).toBe(2);
});

test('input that cannot be read is an error, when the outcomes have come', async () => {
  const { answers, accepted, pipeline } = pipelineWith();
  const broken = new Error('the disk is broken');
  async function* failing() {
    yield* messages(1);
    throw broken;
  }
  const sent = pipeline.send(failing());
  await turn();
  answers[0]?.resolve();
  await expect(sent).rejects.toBe(broken);
  expect(accepted).toEqual([1]);
});
