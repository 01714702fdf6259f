// The random values of the property tests: drawn from one seed, so that a run tells of the code and not of chance.
// `RANDOM_VALUES=N npx vitest run FILE` draws others; a failure names the seed that it was found with.
import fc from 'fast-check';

const DEFAULT_SEED = 1;

fc.configureGlobal({ seed: Number(process.env.RANDOM_VALUES ?? DEFAULT_SEED) });
