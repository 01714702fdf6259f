// The browser of the tests: Debian's Chromium, or the one that the environment names.

import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';

/** The path of the program; undefined: none is installed, and the tests with a browser are left out. */
export const CHROMIUM = [
  process.env.CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => path !== undefined && existsSync(path));
/** It runs as whoever runs the tests, and looks for nothing in the network. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  // What is not of this machine has one of these names, as a name server of its owner could say.
  '--host-resolver-rules=MAP *.example 127.0.0.1',
];

if (CHROMIUM === undefined) {
  const missing = 'No Chromium is installed (package chromium, or its path in CHROMIUM)';
  // The page is the same on each system: in continuous integration it is tested on Linux.
  if (process.env.CI && process.platform === 'linux')
    throw new Error(`${missing}, and in continuous integration (CI) no test is left out.`);
  console.log(`${missing}: the tests with a browser are left out.`);
}

export function launchChromium(): Promise<Browser> {
  return chromium.launch({ ...(CHROMIUM === undefined ? {} : { executablePath: CHROMIUM }), args: FLAGS });
}

let shared: Promise<Browser> | undefined;

/** One for all tests of a process, because a start takes two seconds of CPU; it ends with the process. */
export function sharedChromium(): Promise<Browser> {
  shared ??= launchChromium();
  return shared;
}

let sharedTab: Promise<Page> | undefined;

/** One for the dashboards of a process, one after the other: a tab of its own takes a second of CPU more, for processes that Chromium starts with it. */
export function sharedPage(): Promise<Page> {
  sharedTab ??= sharedChromium().then((browser) => browser.newPage());
  return sharedTab;
}
