// Transactions on one entity: sends, outcomes, schedules, sessions, and what is refused.
package scenarios;

import com.azure.core.amqp.exception.AmqpErrorCondition;
import com.azure.messaging.servicebus.ServiceBusClientBuilder;
import com.azure.messaging.servicebus.ServiceBusMessage;
import com.azure.messaging.servicebus.ServiceBusReceivedMessage;
import com.azure.messaging.servicebus.ServiceBusReceiverClient;
import com.azure.messaging.servicebus.ServiceBusSenderClient;
import com.azure.messaging.servicebus.ServiceBusSessionReceiverClient;
import com.azure.messaging.servicebus.ServiceBusTransactionContext;
import com.azure.messaging.servicebus.models.AbandonOptions;
import com.azure.messaging.servicebus.models.CompleteOptions;
import com.azure.messaging.servicebus.models.DeadLetterOptions;
import com.azure.messaging.servicebus.models.DeferOptions;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;

final class Transactions {
    private static final String ROLLED_BACK = "amqp:transaction:rollback";
    private static final String UNKNOWN = "amqp:transaction:unknown-id";

    private Transactions() {}

    static void addTo(Map<String, Scenario> scenarios) {
        scenarios.put("transaction-commit", Transactions::commit);
        scenarios.put("transaction-rollback", Transactions::rollBack);
        scenarios.put("transaction-outcomes", Transactions::outcomes);
        scenarios.put("transaction-schedule", Transactions::schedule);
        scenarios.put("transaction-session", Transactions::session);
        scenarios.put("transaction-subscription", Transactions::subscription);
        scenarios.put("transaction-lost", Transactions::lost);
        scenarios.put("transaction-refused", Transactions::refused);
    }

    static CompleteOptions in(ServiceBusTransactionContext transaction) {
        return new CompleteOptions().setTransactionContext(transaction);
    }

    /** Of one connection with others of the same builder. */
    static ServiceBusSenderClient sender(ServiceBusClientBuilder builder, String queue) {
        return builder.sender().queueName(queue).buildClient();
    }

    /** What a queue has now, taken out on a connection of its own. */
    static List<String> bodies(String queue) {
        try (ServiceBusReceiverClient receiver = Bus.receiver(queue)) {
            return bodiesBefore(Bus.send(queue, "the last"), receiver);
        }
    }

    static List<String> bodies(String topic, String subscription) {
        ServiceBusMessage last = Bus.message("the last");
        try (ServiceBusSenderClient sender = Bus.builder().sender().topicName(topic).buildClient();
                ServiceBusReceiverClient receiver = Bus.subscriptionReceiver(topic, subscription)) {
            sender.sendMessage(last);
            return bodiesBefore(last.getMessageId(), receiver);
        }
    }

    /** Surer than a look for a while: a receiver that opens late would see nothing in it. */
    private static List<String> bodiesBefore(String id, ServiceBusReceiverClient receiver) {
        List<String> bodies = new ArrayList<>();
        long end = System.nanoTime() + Bus.PATIENCE.toNanos();
        while (System.nanoTime() < end) {
            for (ServiceBusReceivedMessage message : receiver.receiveMessages(1, Duration.ofSeconds(2))) {
                receiver.complete(message);
                if (id.equals(message.getMessageId())) return bodies;
                bodies.add(message.getBody().toString());
            }
        }
        throw new AssertionError("the message sent last did not come; before it came " + bodies);
    }

    private static void commit() {
        bodies("plain");
        ServiceBusClientBuilder builder = Bus.builder();
        try (ServiceBusReceiverClient receiver = Bus.receiver(builder, "plain");
                ServiceBusSenderClient sender = sender(builder, "plain")) {
            ServiceBusReceivedMessage message = Bus.take(receiver, Bus.send("plain", "complete me"));
            ServiceBusTransactionContext transaction = receiver.createTransaction();
            receiver.complete(message, in(transaction));
            sender.sendMessage(Bus.message("one"), transaction);
            sender.sendMessages(List.of(Bus.message("two"), Bus.message("three")), transaction);
            Expect.equal("bodies before the commit", List.of(), bodies("plain"));
            sender.commitTransaction(transaction);
        }
        Expect.equal("bodies after it", List.of("one", "two", "three"), bodies("plain"));
    }

    /** The library settles no message twice, so the message is to be had again when its lock ends. */
    private static void rollBack() {
        bodies("short");
        ServiceBusClientBuilder builder = Bus.builder();
        try (ServiceBusReceiverClient receiver = Settlement.withoutRenewal(builder, "short");
                ServiceBusSenderClient sender = sender(builder, "short")) {
            String id = Bus.send("short", "complete me twice");
            ServiceBusReceivedMessage message = Bus.take(receiver, id);
            ServiceBusTransactionContext transaction = receiver.createTransaction();
            receiver.complete(message, in(transaction));
            sender.sendMessage(Bus.message("never"), transaction);
            receiver.rollbackTransaction(transaction);
            ServiceBusReceivedMessage again = Bus.take(receiver, id);
            Expect.equal("delivery count", 1L, again.getDeliveryCount());
            ServiceBusTransactionContext second = receiver.createTransaction();
            receiver.complete(again, in(second));
            receiver.commitTransaction(second);
        }
        Expect.equal("bodies left", List.of(), bodies("short"));
    }

    private static void outcomes() {
        bodies("plain");
        List<String> ids = List.of(Bus.send("plain", "abandon"), Bus.send("plain", "defer"), Bus.send("plain", "bad"));
        try (ServiceBusReceiverClient receiver = Bus.receiver("plain")) {
            List<ServiceBusReceivedMessage> taken = ids.stream().map(id -> Bus.take(receiver, id)).toList();
            ServiceBusTransactionContext transaction = receiver.createTransaction();
            receiver.abandon(taken.get(0), new AbandonOptions().setPropertiesToModify(Map.of("attempt", 1))
                    .setTransactionContext(transaction));
            receiver.defer(taken.get(1), new DeferOptions().setTransactionContext(transaction));
            receiver.deadLetter(taken.get(2), new DeadLetterOptions().setDeadLetterReason("unreadable")
                    .setTransactionContext(transaction));
            Expect.equal("bodies before the commit", List.of(), bodies("plain"));
            receiver.commitTransaction(transaction);
            ServiceBusReceivedMessage abandoned = Bus.take(receiver, ids.get(0));
            Expect.equal("delivery count of the abandoned", 1L, abandoned.getDeliveryCount());
            Expect.equal("modified property", 1, abandoned.getApplicationProperties().get("attempt"));
            receiver.complete(abandoned);
            receiver.complete(receiver.receiveDeferredMessage(taken.get(1).getSequenceNumber()));
        }
        try (ServiceBusReceiverClient receiver = Bus.deadLetterReceiver("plain")) {
            ServiceBusReceivedMessage dead = Bus.take(receiver, ids.get(2));
            Expect.equal("reason", "unreadable", dead.getDeadLetterReason());
            receiver.complete(dead);
        }
    }

    private static void schedule() {
        try (ServiceBusSenderClient sender = Bus.sender("plain");
                ServiceBusReceiverClient receiver = Bus.receiver("plain")) {
            ServiceBusMessage never = Bus.message("never");
            ServiceBusTransactionContext rolledBack = sender.createTransaction();
            sender.scheduleMessage(never, OffsetDateTime.now().plusHours(1), rolledBack);
            sender.rollbackTransaction(rolledBack);
            ServiceBusMessage later = Bus.message("later");
            ServiceBusTransactionContext transaction = sender.createTransaction();
            long number = sender.scheduleMessage(later, OffsetDateTime.now().plusHours(1), transaction);
            Expect.equal("peeked before the commit", 0L, countPeeked(receiver, List.of(never, later)));
            sender.commitTransaction(transaction);
            Expect.equal("peeked after it", 1L, countPeeked(receiver, List.of(never, later)));
            Expect.equal("peeked id", later.getMessageId(), receiver.peekMessage(number).getMessageId());
            sender.cancelScheduledMessage(number);
        }
    }

    private static long countPeeked(ServiceBusReceiverClient receiver, List<ServiceBusMessage> messages) {
        List<String> ids = messages.stream().map(ServiceBusMessage::getMessageId).toList();
        return StreamSupport.stream(receiver.peekMessages(50, 1).spliterator(), false)
                .filter(message -> ids.contains(message.getMessageId())).count();
    }

    private static void session() {
        String session = UUID.randomUUID().toString();
        Bus.send("sessions", Bus.message("one").setSessionId(session));
        bodies("archive");
        Expect.equal("bodies when rolled back", List.of("one"), handleSession(session, false));
        Expect.equal("bodies sent when rolled back", List.of(), bodies("archive"));
        Bus.send("sessions", Bus.message("one").setSessionId(session));
        Expect.equal("bodies when committed", List.of("two"), handleSession(session, true));
        Expect.equal("bodies sent when committed", List.of("three"), bodies("archive"));
    }

    /** Completes a message of the session, sends to it and elsewhere, and returns what the session has then. */
    private static List<String> handleSession(String session, boolean isCommitted) {
        ServiceBusClientBuilder builder = Bus.builder().enableCrossEntityTransactions();
        try (ServiceBusSessionReceiverClient acceptor = Sessions.acceptor(builder);
                ServiceBusSenderClient sender = sender(builder, "sessions");
                ServiceBusSenderClient elsewhere = sender(builder, "archive");
                ServiceBusReceiverClient receiver = acceptor.acceptSession(session)) {
            ServiceBusReceivedMessage message = receiver.receiveMessages(1, Bus.PATIENCE).stream().findFirst()
                    .orElseThrow(() -> new AssertionError("the message of the session did not come"));
            ServiceBusTransactionContext transaction = receiver.createTransaction();
            receiver.complete(message, in(transaction));
            sender.sendMessage(Bus.message("two").setSessionId(session), transaction);
            elsewhere.sendMessage(Bus.message("three"), transaction);
            if (isCommitted) receiver.commitTransaction(transaction);
            else receiver.rollbackTransaction(transaction);
        }
        ServiceBusMessage last = Bus.message("the last").setSessionId(session);
        Bus.send("sessions", last);
        try (ServiceBusSessionReceiverClient acceptor = Sessions.acceptor();
                ServiceBusReceiverClient receiver = acceptor.acceptSession(session)) {
            return bodiesBefore(last.getMessageId(), receiver);
        }
    }

    private static void subscription() {
        ServiceBusClientBuilder builder = Bus.builder();
        bodies("events", "all");
        try (ServiceBusReceiverClient receiver = builder.receiver().topicName("events").subscriptionName("all")
                        .disableAutoComplete().buildClient();
                ServiceBusSenderClient sender = builder.sender().topicName("events").buildClient()) {
            ServiceBusMessage first = Bus.message("first");
            sender.sendMessage(first);
            ServiceBusReceivedMessage message = Bus.take(receiver, first.getMessageId());
            ServiceBusTransactionContext transaction = receiver.createTransaction();
            receiver.complete(message, in(transaction));
            sender.sendMessage(Bus.message("second"), transaction);
            receiver.commitTransaction(transaction);
        }
        Expect.equal("bodies left", List.of("second"), bodies("events", "all"));
    }

    private static void lost() {
        bodies("short");
        String id = Bus.send("short", "work");
        ServiceBusClientBuilder builder = Bus.builder();
        try (ServiceBusReceiverClient receiver = Settlement.withoutRenewal(builder, "short");
                ServiceBusSenderClient sender = sender(builder, "short")) {
            ServiceBusReceivedMessage message = Bus.take(receiver, id);
            ServiceBusTransactionContext transaction = receiver.createTransaction();
            receiver.complete(message, in(transaction));
            sender.sendMessage(Bus.message("never"), transaction);
        }
        try (ServiceBusReceiverClient receiver = Bus.receiver("short")) {
            receiver.complete(Bus.take(receiver, id));
        }
        Expect.equal("bodies left", List.of(), bodies("short"));
    }

    private static void refused() throws InterruptedException {
        lostLock();
        unheard();
        spent();
    }

    private static void lostLock() throws InterruptedException {
        bodies("short");
        ServiceBusClientBuilder builder = Bus.builder();
        try (ServiceBusReceiverClient receiver = Settlement.withoutRenewal(builder, "short");
                ServiceBusSenderClient sender = sender(builder, "short")) {
            ServiceBusReceivedMessage message = Bus.take(receiver, Bus.send("short", "let it lapse"));
            Thread.sleep(2_500);
            ServiceBusTransactionContext transaction = receiver.createTransaction();
            sender.sendMessage(Bus.message("never"), transaction);
            Bus.expectFailure(AmqpErrorCondition.MESSAGE_LOCK_LOST, "completing after the lock",
                    () -> receiver.complete(message, in(transaction)));
            expectTold(ROLLED_BACK, "committing all the same", () -> receiver.commitTransaction(transaction));
        }
        Expect.equal("bodies left", List.of("let it lapse"), bodies("short"));
    }

    /** The library takes any answer to a send for a success: the commit alone tells. */
    private static void unheard() {
        bodies("plain");
        ServiceBusClientBuilder builder = Bus.builder();
        try (ServiceBusSenderClient sender = sender(builder, "plain");
                ServiceBusSenderClient elsewhere = sender(builder, "archive")) {
            ServiceBusTransactionContext spanning = sender.createTransaction();
            sender.sendMessage(Bus.message("never"), spanning);
            elsewhere.sendMessage(Bus.message("never"), spanning);
            expectTold("cannot span multiple", "committing sends to two entities",
                    () -> sender.commitTransaction(spanning));
            ServiceBusTransactionContext large = sender.createTransaction();
            sender.sendMessages(IntStream.range(0, 101).mapToObj(number -> Bus.message("never")).toList(), large);
            expectTold("more than 100 messages", "committing 101 messages", () -> sender.commitTransaction(large));
        }
        Expect.equal("bodies left", List.of(), bodies("plain"));
        Expect.equal("bodies left elsewhere", List.of(), bodies("archive"));
    }

    private static void spent() {
        ServiceBusClientBuilder builder = Bus.builder();
        try (ServiceBusReceiverClient receiver = Bus.receiver(builder, "plain");
                ServiceBusSenderClient sender = sender(builder, "plain");
                ServiceBusSenderClient stranger = Bus.sender("plain")) {
            ServiceBusReceivedMessage message = Bus.take(receiver, Bus.send("plain", "complete me later"));
            ServiceBusTransactionContext open = sender.createTransaction();
            expectTold(UNKNOWN, "sending in a transaction of another connection",
                    () -> stranger.sendMessage(Bus.message("never"), open));
            sender.commitTransaction(open);
            expectTold(UNKNOWN, "committing twice", () -> sender.commitTransaction(open));
            expectTold(UNKNOWN, "completing in a transaction that is over",
                    () -> receiver.complete(message, in(open)));
            expectTold(UNKNOWN, "sending in a transaction that is over",
                    () -> sender.sendMessage(Bus.message("never"), open));
        }
    }

    /** The library has no constants for the conditions of transactions, and gives them in its messages. */
    static void expectTold(String text, String call, Scenario action) {
        RuntimeException error = Expect.failure(RuntimeException.class, call, action);
        StringBuilder told = new StringBuilder();
        for (Throwable cause = error; cause != null; cause = cause.getCause()) told.append(cause).append('\n');
        Expect.that(told.indexOf(text) >= 0, call + " failed without saying \"" + text + "\": " + told);
    }
}
