// The process of one attack: `attacker.ts <attack> <port> <seed> <scale>`. It prepares when it is asked first, and attacks when it is asked
// again; then it holds what it has until it is ended.

import { seededRandom } from '../../compat-tests/support/seeded-random.js';
import type { Context } from './attack.js';
import { ATTACKS } from './attacks.js';

const [name = '', port, seed, scale] = process.argv.slice(2);
const attack = ATTACKS[name];
if (attack === undefined) throw new Error(`there is no attack ${JSON.stringify(name)}`);
const context: Context = { port: Number(port), random: seededRandom(Number(seed)), scale: Number(scale) };

process.once('message', async () => {
  await attack.prepare?.(context);
  process.once('message', async () => process.send?.(await attack.run(context)));
  process.send?.({});
});
// Sockets that are not read do not keep a process.
setInterval(() => {}, 1000);
process.on('disconnect', () => process.exit());
