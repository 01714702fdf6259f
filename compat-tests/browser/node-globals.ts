// What the SDK's packages take for granted in Node, for a bundle that runs in a browser.

export { Buffer } from 'buffer/';

export const process = {
  env: {},
  version: '',
  versions: {},
  nextTick: (run: (...values: unknown[]) => void, ...values: unknown[]) =>
    queueMicrotask(() => run(...values)),
  on: () => {},
};
