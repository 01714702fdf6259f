// The benchmark's child: who asks it is told when it has ended.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from './brokers.js';
import { Child } from './child.js';

test('a question to a program that has ended, or ends meanwhile, is answered with what it printed', async () => {
  const program = join(temporaryDirectory(), 'program.mjs');
  writeFileSync(program, "console.log('it was here'); process.once('message', () => process.exit(1));");
  const child = new Child(program, { isAsked: true });
  await child.printed('it was here');
  await expect(child.ask({})).rejects.toThrow('a program ended unasked:\nit was here');
  await expect(child.ask({})).rejects.toThrow('a program ended unasked:\nit was here');
  await expect(child.printed('more')).rejects.toThrow('a program ended unasked');
});
