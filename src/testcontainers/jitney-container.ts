// The package's entry `jitney/testcontainers`: Jitney's image as a container of Testcontainers for Node, without the SQL Server of the stock module.

import { AbstractStartedContainer, GenericContainer, Wait } from 'testcontainers';

const PORT = 5672;
const CONFIG_FILE = '/ServiceBus_Emulator/ConfigFiles/Config.json';
const READABLE = 0o644;
const POLICY = 'RootManageSharedAccessKey';

/**
 * Takes the place of `AzureServiceBusContainer` of `@testcontainers/azureservicebus`, with the same names of methods.
 *
 * @example
 * const container = await new JitneyContainer('jitney').withEnvironment({ JITNEY_QUEUES: 'orders' }).start();
 * const client = new ServiceBusClient(container.getConnectionString());
 */
export class JitneyContainer extends GenericContainer {
  /** `image` is the name of an image built from Jitney's Dockerfile. */
  constructor(image: string) {
    super(image);
    this.withExposedPorts(PORT).withWaitStrategy(Wait.forHttp('/health', PORT));
  }

  /** Does nothing: there is no license to accept. It is here for code that was written for the stock module. */
  acceptLicense(): this {
    return this;
  }

  /** The text of a Config.json, with the entities. */
  withConfig(config: string): this {
    return this.withCopyContentToContainer([{ content: config, target: CONFIG_FILE, mode: READABLE }]);
  }

  /** Resolves when `/health` says that it is ready. */
  override async start(): Promise<StartedJitneyContainer> {
    return new StartedJitneyContainer(await super.start());
  }
}

/** A running Jitney; `stop()` ends and removes its container. */
export class StartedJitneyContainer extends AbstractStartedContainer {
  /** The port of this machine for everything: AMQP, HTTP and WebSocket, each with TLS and without. */
  getPort(): number {
    return this.getMappedPort(PORT);
  }

  /** For clients, and for administration clients. With a `namespace`, such as one for each test, it chooses this one. */
  getConnectionString(namespace?: string): string {
    const policy = namespace === undefined ? POLICY : `${POLICY}@${namespace}`;
    return `Endpoint=sb://${this.getHost()}:${this.getPort()};SharedAccessKeyName=${policy};SharedAccessKey=SAS_KEY_VALUE;UseDevelopmentEmulator=true;`;
  }
}
