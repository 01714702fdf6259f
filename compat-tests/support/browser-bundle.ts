// The page's script with the SDK in it, as a bundler makes it for a browser.

import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Modules of Node that rhea asks for by name and hardly uses. */
const STAND_INS: Readonly<Record<string, string>> = {
  os: 'module.exports = { hostname: () => "browser", platform: () => "browser", type: () => "", release: () => "", arch: () => "" };',
  path: 'module.exports = {};',
};

export async function bundlePage(): Promise<string> {
  const pathOf = (file: string) => fileURLToPath(new URL(`../browser/${file}`, import.meta.url));
  const { outputFiles } = await build({
    entryPoints: [pathOf('page.ts')],
    inject: [pathOf('node-globals.ts')],
    bundle: true,
    write: false,
    platform: 'browser',
    format: 'iife',
    define: { global: 'globalThis' },
    plugins: [
      {
        name: 'stand-ins',
        setup: ({ onResolve, onLoad }) => {
          onResolve({ filter: /^(os|path)$/ }, ({ path }) => ({ path, namespace: 'stand-in' }));
          onLoad({ filter: /.*/, namespace: 'stand-in' }, ({ path }) => ({
            contents: STAND_INS[path] ?? '',
          }));
        },
      },
    ],
  });
  const [script] = outputFiles;
  if (script === undefined) throw new Error('the bundler made nothing');
  return script.text;
}
