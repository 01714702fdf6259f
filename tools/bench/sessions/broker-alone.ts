// Has the broker alone measured, in a program of its own whose heap nothing else is in.

import { programPath } from '../built-programs.js';
import { Child } from '../child.js';
import type { Answer, BrokerFigures, Task } from '../programs/bare-broker.js';

export async function measureBroker(task: Task): Promise<BrokerFigures> {
  const child = new Child(programPath('bare-broker'), { nodeArguments: ['--expose-gc'], isAsked: true });
  try {
    const answer = await child.ask<Answer>(task);
    if ('error' in answer) throw new Error(answer.error);
    return answer;
  } finally {
    await child.stop();
  }
}
