// service-bus.module.ts
import { ServiceBusClient } from '@azure/service-bus';
import { Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';

@Global()
@Module({
  providers: [
    {
      provide: ServiceBusClient,
      useFactory: () => new ServiceBusClient(process.env.SERVICEBUS_CONNECTION_STRING ?? ''),
    },
  ],
  exports: [ServiceBusClient],
})
export class ServiceBusModule implements OnApplicationShutdown {
  constructor(@Inject(ServiceBusClient) private readonly client: ServiceBusClient) {}

  async onApplicationShutdown() {
    await this.client.close();
  }
}
