// In place of `node:timers/promises`: its functions as they were when the package was loaded, because fake timers replace them as well.

import * as real from 'node:timers/promises';

const { setTimeout: sleep, setImmediate: nextLoop, setInterval: everyInterval } = real;

export { everyInterval as setInterval, nextLoop as setImmediate, sleep as setTimeout };
