// The message that the rules tester begins with: the last one that was tested, or sent to a topic where no rule took it.

const STORE_KEY = 'jitney-tested-message';

export function testedMessage(): string | undefined {
  return sessionStorage.getItem(STORE_KEY) ?? undefined;
}

/** Keeps the JSON of a message for this tab. */
export function keepTestedMessage(json: string): void {
  sessionStorage.setItem(STORE_KEY, json);
}
