// Faults that a message carries in an application property, so that a client in any language can request one.

import type { MessageView } from '../broker/rules/message-view.js';
import { type CheckedFault, checkFault } from './check-fault.js';
import { FaultError, type FaultOperation, type FiredFault } from './fault.js';
import { parseFaultText } from './fault-text.js';

export const FAULT_PROPERTY = 'x-jitney-fault';

const MAX_TEXT_LENGTH = 1000;
/** So many texts and messages are remembered; then the oldest are forgotten. */
const MAX_KEPT = 10_000;
/** The id of all faults that came with a message. */
const NO_ID = 0;

export class PropertyFaults {
  readonly #nextGuid: () => string;
  readonly #texts = new Map<string, CheckedFault | FaultError>();
  /** For each message, the number of operations that its fault matched. */
  readonly #counts = new Map<string, number>();

  constructor(nextGuid: () => string) {
    this.#nextGuid = nextGuid;
  }

  /** Finds the fault of a message. It happens once for each message id, unless it says otherwise, so that a client that sends again succeeds. */
  find(operation: FaultOperation, message: MessageView): FiredFault | undefined {
    const text = message.user(FAULT_PROPERTY);
    if (typeof text !== 'string') return undefined;
    const fault = text.length > MAX_TEXT_LENGTH ? tooLong(text) : this.#read(text);
    if (fault instanceof FaultError) return operation === 'send' ? refusal(fault) : undefined;
    if (!fault.operations.has(operation) || fault.effect.kind === 'status') return undefined;
    const count = this.#count(`${operation} ${text} ${String(message.system('MessageId'))}`);
    const times = Number.isFinite(fault.times) ? fault.times : 1;
    if (count < fault.nth || count >= fault.nth + times) return undefined;
    return { faultId: NO_ID, effect: fault.effect, delayMs: fault.delayMs };
  }

  #read(text: string): CheckedFault | FaultError {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    const read = check(text, this.#nextGuid);
    keep(this.#texts, text, read);
    return read;
  }

  #count(key: string): number {
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.delete(key);
    keep(this.#counts, key, count);
    return count;
  }
}

function tooLong(text: string): FaultError {
  return new FaultError(
    `It has ${text.length} characters and begins '${text.slice(0, 50)}'; ${MAX_TEXT_LENGTH} is the limit.`,
  );
}

function check(text: string, nextGuid: () => string): CheckedFault | FaultError {
  try {
    return checkFault(parseFaultText(text), nextGuid);
  } catch (error) {
    if (error instanceof FaultError) return error;
    throw error;
  }
}

function refusal({ message }: FaultError): FiredFault {
  const text = `The property '${FAULT_PROPERTY}' cannot be read: ${message}`;
  return {
    faultId: NO_ID,
    effect: { kind: 'error', condition: 'com.microsoft:argument-error', text },
    delayMs: 0,
  };
}

function keep<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.set(key, value);
  if (map.size <= MAX_KEPT) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}
