// Opens a page in the browser of this machine.

import { spawn } from 'node:child_process';

type Command = { readonly program: string; readonly words: readonly string[] };

/** The command of each system that opens a URL in the browser of the user. */
export function browserCommand(url: string, platform: NodeJS.Platform): Command {
  switch (platform) {
    case 'darwin':
      return { program: 'open', words: [url] };
    case 'win32':
      // The first text in quotes would be the title of a window.
      return { program: 'cmd', words: ['/c', 'start', '""', url] };
    default:
      return { program: 'xdg-open', words: [url] };
  }
}

/** Resolves when the command has been started. Rejects if it is missing, as in a container. */
export function openPage(url: string): Promise<void> {
  const { program, words } = browserCommand(url, process.platform);
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, { stdio: 'ignore', detached: true });
    child.once('spawn', () => {
      child.unref();
      resolve();
    });
    child.once('error', (cause) =>
      reject(new Error(`The page cannot be opened, because '${program}' cannot be run`, { cause })),
    );
  });
}
