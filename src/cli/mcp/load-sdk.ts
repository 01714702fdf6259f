// Loads the SDK of the Model Context Protocol, an optional package, from where Jitney is installed or from the project.

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { JitneyError } from '../../jitney-error.js';

const PACKAGE = '@modelcontextprotocol/sdk';

type Sdk = {
  readonly Server: typeof import('@modelcontextprotocol/sdk/server/index.js').Server;
  readonly StdioServerTransport: typeof import('@modelcontextprotocol/sdk/server/stdio.js').StdioServerTransport;
  readonly types: typeof import('@modelcontextprotocol/sdk/types.js');
};

/** Throws a JitneyError that says how to install it. */
export function loadSdk(folders: readonly string[] = [import.meta.url, join(process.cwd(), 'any.js')]): Sdk {
  for (const folder of folders) {
    const require = createRequire(folder);
    try {
      require.resolve(`${PACKAGE}/server/index.js`);
    } catch {
      continue;
    }
    return {
      ...require(`${PACKAGE}/server/index.js`),
      ...require(`${PACKAGE}/server/stdio.js`),
      types: require(`${PACKAGE}/types.js`),
    };
  }
  throw new JitneyError(
    'package-missing',
    `'jitney mcp' needs the package ${PACKAGE}, which is not installed`,
    {
      problems: [
        `In the project:  npm install --save-dev ${PACKAGE}`,
        `With npx:        npx -p jitney -p ${PACKAGE} jitney mcp`,
      ],
    },
  );
}
