// Transactions over several entities: from the queue that is received from to queues and a topic, as message handlers do.
package scenarios;

import com.azure.messaging.servicebus.ServiceBusClientBuilder;
import com.azure.messaging.servicebus.ServiceBusProcessorClient;
import com.azure.messaging.servicebus.ServiceBusReceivedMessage;
import com.azure.messaging.servicebus.ServiceBusReceivedMessageContext;
import com.azure.messaging.servicebus.ServiceBusReceiverClient;
import com.azure.messaging.servicebus.ServiceBusSenderClient;
import com.azure.messaging.servicebus.ServiceBusTransactionContext;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

final class CrossEntity {
    private CrossEntity() {}

    static void addTo(Map<String, Scenario> scenarios) {
        scenarios.put("transaction-cross-entity", CrossEntity::receiveAndSend);
        scenarios.put("transaction-handlers", CrossEntity::handlers);
    }

    /** Two queues and a topic, on one connection. */
    private record Targets(List<ServiceBusSenderClient> senders) implements AutoCloseable {
        static Targets of(ServiceBusClientBuilder builder) {
            return new Targets(List.of(Transactions.sender(builder, "archive"), Transactions.sender(builder, "forever"),
                    builder.sender().topicName("events").buildClient()));
        }

        void send(String body, ServiceBusTransactionContext transaction) {
            for (ServiceBusSenderClient sender : senders) sender.sendMessage(Bus.message(body), transaction);
        }

        /** The bodies at each place, sorted and taken out. */
        static List<List<String>> bodies() {
            return Stream.of(Transactions.bodies("archive"), Transactions.bodies("forever"),
                    Transactions.bodies("events", "all")).map(bodies -> bodies.stream().sorted().toList()).toList();
        }

        static void expect(String subject, List<String> bodies) {
            Expect.equal(subject, List.of(bodies, bodies, bodies), bodies());
        }

        @Override
        public void close() {
            senders.forEach(ServiceBusSenderClient::close);
        }
    }

    private static void receiveAndSend() {
        Targets.bodies();
        Transactions.bodies("short");
        ServiceBusClientBuilder builder = Bus.builder().enableCrossEntityTransactions();
        try (ServiceBusReceiverClient receiver = Settlement.withoutRenewal(builder, "short");
                Targets targets = Targets.of(builder)) {
            String id = Bus.send("short", "work");
            ServiceBusReceivedMessage message = Bus.take(receiver, id);
            ServiceBusTransactionContext rolledBack = receiver.createTransaction();
            targets.send("never", rolledBack);
            receiver.complete(message, Transactions.in(rolledBack));
            receiver.rollbackTransaction(rolledBack);
            Targets.expect("bodies when rolled back", List.of());
            ServiceBusReceivedMessage again = Bus.take(receiver, id);
            ServiceBusTransactionContext transaction = receiver.createTransaction();
            targets.send("done", transaction);
            receiver.complete(again, Transactions.in(transaction));
            receiver.commitTransaction(transaction);
            Targets.expect("bodies when committed", List.of("done"));
            try (ServiceBusReceiverClient second = Bus.receiver(builder, "archive")) {
                Transactions.expectTold("cannot span multiple", "receiving from a second entity",
                        () -> second.receiveMessages(1, Bus.PATIENCE).stream().toList());
            }
        }
        Expect.equal("bodies left", List.of(), Transactions.bodies("short"));
    }

    /** Each message is handled in a transaction of its own; when that fails for the second time, it goes to an error queue. */
    private static void handlers() throws InterruptedException {
        Targets.bodies();
        Transactions.bodies("plain");
        Transactions.bodies("short");
        List<String> names = IntStream.range(0, 6).mapToObj(number -> "work " + number).toList();
        for (String name : names) Bus.send("plain", name);
        ServiceBusClientBuilder builder = Bus.builder().enableCrossEntityTransactions();
        try (Handlers handlers = new Handlers(builder, names.size())) {
            handlers.run();
        }
        Targets.expect("bodies sent", names.stream().filter(name -> !isBad(name)).toList());
        Expect.equal("bodies in the error queue", names.stream().filter(CrossEntity::isBad).toList(),
                Transactions.bodies("short").stream().sorted().toList());
        Expect.equal("bodies left", List.of(), Transactions.bodies("plain"));
    }

    private static boolean isBad(String body) {
        return body.endsWith("1") || body.endsWith("4");
    }

    /** Three at once, as a framework has them: what a handler sends goes out with the end of its message, or not at all. */
    private static final class Handlers implements AutoCloseable {
        private final ServiceBusProcessorClient processor;
        private final Targets targets;
        private final ServiceBusSenderClient errors;
        private final CountDownLatch left;
        private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();

        Handlers(ServiceBusClientBuilder builder, int count) {
            left = new CountDownLatch(count);
            processor = builder.processor().queueName("plain").disableAutoComplete().maxConcurrentCalls(3)
                    .prefetchCount(10).processMessage(this::handle)
                    .processError(context -> failures.add(context.getException())).buildProcessorClient();
            targets = Targets.of(builder);
            errors = Transactions.sender(builder, "short");
        }

        void run() throws InterruptedException {
            processor.start();
            boolean isDone = left.await(30, TimeUnit.SECONDS);
            Expect.that(failures.isEmpty(), "the processor failed: " + failures);
            Expect.that(isDone, left.getCount() + " messages were not handled");
        }

        private void handle(ServiceBusReceivedMessageContext context) {
            String body = context.getMessage().getBody().toString();
            ServiceBusTransactionContext transaction = errors.createTransaction();
            if (context.getMessage().getDeliveryCount() > 0) {
                errors.sendMessage(Bus.message(body), transaction);
            } else {
                targets.send(body, transaction);
                if (isBad(body)) {
                    errors.rollbackTransaction(transaction);
                    context.abandon();
                    return;
                }
            }
            context.complete(Transactions.in(transaction));
            errors.commitTransaction(transaction);
            left.countDown();
        }

        @Override
        public void close() {
            processor.close();
            targets.close();
            errors.close();
        }
    }
}
