// azure-sb as a client of an emulator on this machine, its callbacks as promises.

import azure, { type OldMessage, type ServiceBusService } from 'azure-sb';

export type { OldMessage };

export class OldClient {
  readonly #service: ServiceBusService;

  constructor(port: number) {
    const key = 'SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=SAS_KEY_VALUE';
    // `sb://` means TLS to it, and `localhost` no host that there can be.
    this.#service = azure.createServiceBusService(`Endpoint=http://127.0.0.1:${port}/;${key}`);
  }

  /** Rejects with what the client calls an error, which is a text when no message came. */
  call<Value = undefined>(
    act: (service: ServiceBusService, answer: (error: unknown, value?: unknown) => void) => void,
  ): Promise<Value> {
    return new Promise((resolve, reject) => {
      act(this.#service, (error, value) => {
        if (error === null || error === undefined) resolve(value as Value);
        else reject(error);
      });
    });
  }

  sendTo(queue: string, message: OldMessage | string): Promise<undefined> {
    return this.call((service, done) => service.sendQueueMessage(queue, message, done));
  }

  /** Under a lock. */
  lockAt(queue: string): Promise<OldMessage> {
    const options = { isPeekLock: true, timeoutIntervalInS: 5 };
    return this.call((service, answer) => service.receiveQueueMessage(queue, options, answer));
  }

  takeFrom(queue: string, timeoutIntervalInS = 5): Promise<OldMessage> {
    return this.call((service, answer) => service.receiveQueueMessage(queue, { timeoutIntervalInS }, answer));
  }
}
