// The process of one attack: `attacker.ts <attack> <port>`. Prints what it was told.

import { ATTACKS } from './attacks.js';

const [name = '', port] = process.argv.slice(2);
const attack = ATTACKS[name];
if (attack === undefined) throw new Error(`there is no attack ${JSON.stringify(name)}`);
console.log(await attack.run(Number(port)));
process.exit(0);
