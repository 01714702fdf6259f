// Programs that send and receive one message, for people who connect for the first time.

export type Language =
  | 'javascript'
  | 'csharp'
  | 'java'
  | 'python'
  | 'go'
  | 'jms'
  | 'functions'
  | 'dapr'
  | 'compose';

type Values = { readonly connectionString: string; readonly queue: string; readonly port: string };

export const SNIPPETS: Readonly<Record<Language, (values: Values) => string>> = {
  javascript: ({ connectionString, queue }) => `// npm install @azure/service-bus
import { ServiceBusClient } from "@azure/service-bus";

const client = new ServiceBusClient(
  ${quoted(connectionString)},
);
await client.createSender(${quoted(queue)}).sendMessages({ body: { hello: 'world' } });

const receiver = client.createReceiver(${quoted(queue)});
const [message] = await receiver.receiveMessages(1);
console.log(message.body);
await receiver.completeMessage(message);
await client.close();
`,
  csharp: ({ connectionString, queue }) => `// dotnet add package Azure.Messaging.ServiceBus
using Azure.Messaging.ServiceBus;

await using var client = new ServiceBusClient(
    ${doubleQuoted(connectionString)});
await client.CreateSender(${doubleQuoted(queue)}).SendMessageAsync(new ServiceBusMessage("hello"));

var receiver = client.CreateReceiver(${doubleQuoted(queue)});
var message = await receiver.ReceiveMessageAsync();
Console.WriteLine(message.Body);
await receiver.CompleteMessageAsync(message);
`,
  java: ({ connectionString, queue }) => `// com.azure:azure-messaging-servicebus
String connectionString = ${doubleQuoted(connectionString)};
var builder = new ServiceBusClientBuilder().connectionString(connectionString);
try (var sender = builder.sender().queueName(${doubleQuoted(queue)}).buildClient();
     var receiver = builder.receiver().queueName(${doubleQuoted(queue)}).buildClient()) {
  sender.sendMessage(new ServiceBusMessage("hello"));
  receiver.receiveMessages(1).forEach(message -> {
    System.out.println(message.getBody());
    receiver.complete(message);
  });
}
`,
  python: ({ connectionString, queue }) => `# pip install azure-servicebus
from azure.servicebus import ServiceBusClient, ServiceBusMessage

with ServiceBusClient.from_connection_string(
    ${quoted(connectionString)}
) as client:
    with client.get_queue_sender(${quoted(queue)}) as sender:
        sender.send_messages(ServiceBusMessage("hello"))
    with client.get_queue_receiver(${quoted(queue)}, max_wait_time=5) as receiver:
        for message in receiver:
            print(str(message))
            receiver.complete_message(message)
            break
`,
  go: ({ connectionString, queue }) => `// go get github.com/Azure/azure-sdk-for-go/sdk/messaging/azservicebus
client, err := azservicebus.NewClientFromConnectionString(
	${doubleQuoted(connectionString)}, nil)
if err != nil {
	panic(err)
}
sender, _ := client.NewSender(${doubleQuoted(queue)}, nil)
_ = sender.SendMessage(ctx, &azservicebus.Message{Body: []byte("hello")}, nil)

receiver, _ := client.NewReceiverForQueue(${doubleQuoted(queue)}, nil)
messages, _ := receiver.ReceiveMessages(ctx, 1, nil)
fmt.Println(string(messages[0].Body))
_ = receiver.CompleteMessage(ctx, messages[0], nil)
`,
  jms: ({ connectionString, queue, port }) => `// org.apache.qpid:qpid-jms-client
var factory = new JmsConnectionFactory(${doubleQuoted(keyOf(connectionString, 'SharedAccessKeyName'))},
    ${doubleQuoted(keyOf(connectionString, 'SharedAccessKey'))}, "amqp://localhost:${port}");
try (var context = factory.createContext()) {
  var destination = context.createQueue(${doubleQuoted(queue)});
  context.createProducer().send(destination, "hello");
  System.out.println(context.createConsumer(destination).receiveBody(String.class, 5000));
}
`,
  functions: ({ connectionString }) => `// local.settings.json
${JSON.stringify({ IsEncrypted: false, Values: { AzureWebJobsStorage: '', ServiceBusConnection: connectionString } }, null, 2)}
`,
  dapr: ({ connectionString }) => `apiVersion: dapr.io/v1alpha1
kind: Component
metadata:
  name: pubsub
spec:
  type: pubsub.azure.servicebus.topics
  version: v1
  metadata:
    - name: connectionString
      value: ${doubleQuoted(connectionString)}
    - name: disableEntityManagement
      value: "true"
`,
  compose: ({ queue }) => `services:
  jitney:
    image: jitney
    environment:
      JITNEY_QUEUES: ${doubleQuoted(queue)}
    ports: ["5672:5672", "5300:5300"]
  app:
    build: .
    environment:
      SERVICEBUS_CONNECTION_STRING: "Endpoint=sb://jitney;SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=SAS_KEY_VALUE;UseDevelopmentEmulator=true;"
    depends_on:
      jitney:
        condition: service_healthy
`,
};

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}

function doubleQuoted(text: string): string {
  return JSON.stringify(text);
}

function keyOf(connectionString: string, name: string): string {
  return new RegExp(`${name}=([^;]*)`).exec(connectionString)?.[1] ?? '';
}
