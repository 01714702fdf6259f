// The package as an importing program gets it: the built files, with the types of the source so that checking needs no build.

const MAIN_EXPORT = new URL('../../dist/emulator.js', import.meta.url).href;

export function importBuiltPackage(): Promise<typeof import('../../src/emulator.js')> {
  return import(/* @vite-ignore */ MAIN_EXPORT);
}
