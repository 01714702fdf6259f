// The versions of Node that can run Jitney. Imports nothing, and an old Node must be able to parse it.

/** The error message for a Node that is too old, in the form of every refused start; undefined for one that works. */
export function nodeProblem(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  // `crc32` of `node:zlib` came with 20.15 and 22.2; 20.19 is the oldest that is tested.
  if (major > 22 || (major === 22 && minor >= 2) || (major === 20 && minor >= 19)) return undefined;
  return `✖ JIT1006  Jitney needs Node 20.19, 22.2 or newer, but this is Node ${version}: install a newer one, for example from https://nodejs.org\n`;
}
