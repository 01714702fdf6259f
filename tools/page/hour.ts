// The hour: `npm run measure -- hour [--messages 1080000]` sends 300 messages a second for an hour, as fast as they go, and then asks what the
// control interface says of it, before and after a restart. A line that is wrong makes it exit with 1.

import { parseArgs } from 'node:util';
import { runHour } from '../../compat-tests/page/the-hour.js';
import { temporaryDirectory } from '../../compat-tests/support/temporary-directory.js';

const PER_SECOND = 300;
const REPORTED_EACH = 100_000;

const { values } = parseArgs({
  options: { messages: { type: 'string', default: String(3600 * PER_SECOND) } },
});
const messageCount = Number(values.messages);
if (!(messageCount >= PER_SECOND)) {
  console.error(`--messages is ${values.messages}; it must be ${PER_SECOND} or more.`);
  process.exit(2);
}

await using folder = await temporaryDirectory();
const startedAt = performance.now();
let reportedCount = 0;
const progress = (completedCount: number) => {
  if (completedCount < reportedCount + REPORTED_EACH) return;
  reportedCount += REPORTED_EACH;
  console.log(`  ${reportedCount} of ${messageCount} completed`);
};
const checks = await runHour({ messageCount, dataDirectory: folder.path, progress });
const seconds = Math.round((performance.now() - startedAt) / 1000);
console.log(
  `${messageCount} messages, which are ${Math.round(messageCount / PER_SECOND)} s at ${PER_SECOND} a second, in ${seconds} s`,
);
for (const { what, isRight, seen } of checks) {
  console.log(`${isRight ? 'right' : 'WRONG'}  ${what}: ${seen}`);
  if (!isRight) process.exitCode = 1;
}
