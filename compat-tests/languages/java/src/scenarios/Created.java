// Entities that `jitney create` made, and those that an emulator with --auto-create makes.
package scenarios;

import com.azure.core.exception.ResourceNotFoundException;
import com.azure.messaging.servicebus.ServiceBusClientBuilder;
import com.azure.messaging.servicebus.ServiceBusMessage;
import com.azure.messaging.servicebus.ServiceBusReceivedMessage;
import com.azure.messaging.servicebus.ServiceBusReceiverClient;
import com.azure.messaging.servicebus.ServiceBusSenderClient;
import com.azure.messaging.servicebus.ServiceBusSessionReceiverClient;
import com.azure.messaging.servicebus.administration.ServiceBusAdministrationClient;
import com.azure.messaging.servicebus.administration.models.QueueProperties;
import com.azure.messaging.servicebus.administration.models.RuleProperties;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;

final class Created {
    private Created() {}

    static void addTo(Map<String, Scenario> scenarios) {
        scenarios.put("created-entities", Created::byCommand);
        scenarios.put("auto-create", Created::whenNeeded);
        scenarios.put("auto-create-peek", Created::notByPeek);
    }

    private static void byCommand() {
        ServiceBusAdministrationClient client = Administration.client();
        QueueProperties made = client.getQueue("made");
        Expect.equal("lock duration", Duration.ofSeconds(20), made.getLockDuration());
        Expect.equal("max delivery count", 2, made.getMaxDeliveryCount());
        Expect.equal("time to live", Duration.ofHours(1), made.getDefaultMessageTimeToLive());
        Expect.equal("sessions", true, client.getQueue("made-sessions").isSessionRequired());
        Expect.equal("rules", List.of("color"),
                client.listRules("made-events", "red").stream().map(RuleProperties::getName).toList());
        String poison = Bus.send("made", "poison");
        try (ServiceBusReceiverClient receiver = Bus.receiver("made");
                ServiceBusReceiverClient graves = Bus.receiver("made-graves")) {
            for (int attempt = 0; attempt < 2; attempt++) receiver.abandon(Bus.take(receiver, poison));
            graves.complete(Bus.take(graves, poison));
        }
        String session = UUID.randomUUID().toString();
        ServiceBusMessage ordered = Bus.message("ordered").setSessionId(session);
        Bus.send("made-sessions", ordered);
        try (ServiceBusSessionReceiverClient acceptor = Bus.builder().sessionReceiver().queueName("made-sessions")
                        .disableAutoComplete().buildClient();
                ServiceBusReceiverClient receiver = acceptor.acceptSession(session)) {
            receiver.complete(Bus.take(receiver, ordered.getMessageId()));
        }
        rules();
    }

    private static void rules() {
        List<ServiceBusMessage> messages = List.of(Bus.message("red"), Bus.message("blue"));
        for (ServiceBusMessage message : messages) {
            message.getApplicationProperties().put("color", message.getBody().toString());
        }
        try (ServiceBusSenderClient sender = Bus.builder().sender().topicName("made-events").buildClient();
                ServiceBusReceiverClient all = Bus.subscriptionReceiver("made-events", "all");
                ServiceBusReceiverClient red = Bus.subscriptionReceiver("made-events", "red")) {
            sender.sendMessages(messages);
            Expect.equal("all", List.of("blue", "red"), bodies(Bus.drain(all, 2)));
            Expect.equal("red", List.of("red"), bodies(Bus.drain(red, 1)));
        }
    }

    private static List<String> bodies(List<ServiceBusReceivedMessage> messages) {
        return messages.stream().map(message -> message.getBody().toString()).sorted().toList();
    }

    private static ServiceBusClientBuilder creating() {
        return Bus.builder(Program.setting("AUTO_CREATE_CONNECTION_STRING"));
    }

    private static ServiceBusAdministrationClient administration() {
        return Administration.builder(Program.setting("AUTO_CREATE_ADMIN_PORT"))
                .connectionString(Program.setting("AUTO_CREATE_CONNECTION_STRING")).buildClient();
    }

    private static void whenNeeded() {
        ServiceBusAdministrationClient client = administration();
        String queue = Administration.newName("java-sent");
        String asked = Administration.newName("java-asked");
        String topic = Administration.newName("java-topic");
        Expect.equal("queue before", false, client.getQueueExists(queue));
        Expect.equal("topic before", false, client.getTopicExists(topic));
        // Of a topic that is missing, the library cannot read the answer of the service.
        Expect.equal("subscription before", false, client.getSubscriptionExists("events", "missing"));
        Expect.failure(ResourceNotFoundException.class, "reading a missing queue", () -> client.getQueue(queue));
        Expect.failure(ResourceNotFoundException.class, "counts of a missing queue",
                () -> client.getQueueRuntimeProperties(queue));
        Expect.equal("queue after probes", false, client.getQueueExists(queue));
        try (ServiceBusSenderClient sender = creating().sender().queueName(queue).buildClient();
                ServiceBusReceiverClient receiver = Bus.receiver(creating(), queue)) {
            sender.sendMessage(Bus.message("first"));
            Expect.equal("received", List.of("first"), bodies(Bus.drain(receiver, 1)));
        }
        try (ServiceBusReceiverClient receiver = Bus.receiver(creating(), asked);
                ServiceBusReceiverClient subscription = subscriptionReceiver(topic)) {
            Expect.equal("messages of a new queue", List.of(), bodies(Bus.drain(receiver)));
            Expect.equal("queue after a receive", true, client.getQueueExists(asked));
            Expect.equal("messages of a new subscription", List.of(), bodies(Bus.drain(subscription)));
            Expect.equal("subscription after a receive", true, client.getSubscriptionExists(topic, "sub"));
        }
        // The queue is there already, and may have been meant as a topic.
        try (ServiceBusReceiverClient receiver = subscriptionReceiver(queue)) {
            RuntimeException error = Expect.failure(RuntimeException.class, "receiving from a queue as a topic",
                    () -> receiver.receiveMessages(1, Bus.PATIENCE).stream().toList());
            StringBuilder all = new StringBuilder();
            for (Throwable cause = error; cause != null; cause = cause.getCause()) all.append(cause).append('\n');
            Expect.that(all.indexOf("--topic") >= 0, "the error names no --topic: " + all);
        }
    }

    private static ServiceBusReceiverClient subscriptionReceiver(String topic) {
        return creating().receiver().topicName(topic).subscriptionName("sub").disableAutoComplete().buildClient();
    }

    private static void notByPeek() {
        String queue = Administration.newName("java-peeked");
        try (ServiceBusReceiverClient receiver = Bus.receiver(creating(), queue)) {
            Expect.failure(RuntimeException.class, "peeking at a missing queue", receiver::peekMessage);
        }
        Expect.equal("queue after a peek", false, administration().getQueueExists(queue));
    }
}
