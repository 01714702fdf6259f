// The part of the kit that the entry for vitest needs. It is a file of its own because that entry is an ES module, as vitest is, and the kit is not.

export { recordForMatchers } from '../inspect/emulator-look.js';
export { AwaitedMatchers } from './awaited.js';
export { assertEntity, isHandle } from './check-entity.js';
export { MATCHERS } from './matchers.js';
export { terminalWidth } from './terminal-width.js';
export { TestEmulator } from './test-emulator.js';
