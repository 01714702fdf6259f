// Transacted sessions: what is received and sent in one, over one entity or several, takes effect with its commit alone.
package scenarios;

import jakarta.jms.Destination;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

final class Transactions {
    private static final String PREFETCHING = "jms.prefetchPolicy.all=100";
    private static final String SUBSCRIPTION = "events/Subscriptions/all";

    private Transactions() {}

    static void addTo(Map<String, Scenario> scenarios) {
        scenarios.put("transaction-commit", Transactions::commit);
        scenarios.put("transaction-rollback", Transactions::rollBack);
        scenarios.put("transaction-schedule", Transactions::schedule);
        scenarios.put("transaction-subscription", Transactions::subscription);
        scenarios.put("transaction-cross-entity", Transactions::crossEntity);
        scenarios.put("transaction-handlers", Transactions::handlers);
        scenarios.put("transacted-session", Transactions::prefetched);
        scenarios.put("transaction-lost", Transactions::lost);
        scenarios.put("transaction-refused", Transactions::refused);
    }

    private static Client transacted() throws JMSException {
        return Client.open(Client.PULL, Session.SESSION_TRANSACTED);
    }

    /** What is to be had now, taken out on a connection of its own. */
    private static List<String> texts(String queue) throws JMSException {
        try (Client client = Client.open(); MessageConsumer consumer = client.consumer(queue)) {
            List<String> texts = new ArrayList<>();
            for (Message message : Client.drain(consumer)) texts.add(message.getBody(String.class));
            return texts;
        }
    }

    private static void sendApart(String queue, String... texts) throws JMSException {
        try (Client client = Client.open()) {
            for (String text : texts) client.send(queue, text);
        }
    }

    private static Message receive(MessageConsumer consumer, String text, int deliveryCount) throws JMSException {
        Message message = consumer.receive(Client.PATIENCE_MS);
        Expect.that(message != null, text + " did not come");
        Expect.equal("text", text, message.getBody(String.class));
        Expect.equal("delivery count of " + text, deliveryCount, Client.deliveryCount(message));
        Expect.equal("redelivery of " + text, deliveryCount > 1, message.getJMSRedelivered());
        return message;
    }

    private static void commit() throws JMSException {
        texts("plain");
        sendApart("plain", "work");
        try (Client client = transacted(); MessageConsumer consumer = client.consumer("plain")) {
            receive(consumer, "work", 1);
            client.send("plain", "one");
            client.send("plain", "two");
            Expect.equal("texts before the commit", List.of(), texts("plain"));
            client.session.commit();
            Expect.equal("texts after it", List.of("one", "two"), texts("plain"));
            client.send("plain", "of the next transaction");
            client.session.commit();
        }
        Expect.equal("texts left", List.of("of the next transaction"), texts("plain"));
    }

    private static void rollBack() throws JMSException {
        texts("plain");
        sendApart("plain", "work");
        try (Client client = transacted(); MessageConsumer consumer = client.consumer("plain")) {
            for (int count = 1; count <= 2; count += 1) {
                receive(consumer, "work", count);
                client.send("plain", "never");
                client.session.rollback();
            }
            receive(consumer, "work", 3);
            client.session.commit();
        }
        Expect.equal("texts left", List.of(), texts("plain"));
    }

    private static void schedule() throws JMSException {
        texts("plain");
        try (Client client = transacted();
                MessageProducer producer = client.session.createProducer(client.queue("plain"))) {
            producer.setDeliveryDelay(3_000);
            producer.send(client.session.createTextMessage("never"));
            client.session.rollback();
            long start = System.currentTimeMillis();
            producer.send(client.session.createTextMessage("later"));
            client.session.commit();
            Expect.equal("texts at the commit", List.of(), texts("plain"));
            try (Client other = Client.open(); MessageConsumer consumer = other.consumer("plain")) {
                receive(consumer, "later", 1).acknowledge();
                long passed = System.currentTimeMillis() - start;
                Expect.that(passed >= 3_000, "it came after " + passed + " ms");
            }
        }
        Expect.equal("texts left", List.of(), texts("plain"));
    }

    /** The subscriptions of one topic are one entity. */
    private static void subscription() throws JMSException {
        texts(SUBSCRIPTION);
        texts("events/Subscriptions/red");
        try (Client client = transacted(); MessageConsumer all = client.consumer(SUBSCRIPTION);
                MessageConsumer red = client.consumer("events/Subscriptions/red")) {
            try (Client other = Client.open()) {
                Message message = other.session.createTextMessage("red");
                message.setJMSType("red");
                other.send(other.session.createTopic("events"), message);
            }
            for (int count = 1; count <= 2; count += 1) {
                receive(all, "red", count);
                receive(red, "red", count);
                client.send(client.session.createTopic("events"), client.session.createTextMessage("answer"));
                if (count == 1) client.session.rollback();
                else client.session.commit();
            }
        }
        Expect.equal("texts left", List.of("answer"), texts(SUBSCRIPTION));
        Expect.equal("texts left of red", List.of(), texts("events/Subscriptions/red"));
    }

    private static List<Destination> targets(Session session) throws JMSException {
        return List.of(session.createQueue("archive"), session.createQueue("short"), session.createTopic("events"));
    }

    private static void sendToAll(Session session, String text) throws JMSException {
        for (Destination target : targets(session)) {
            try (MessageProducer producer = session.createProducer(target)) {
                producer.send(session.createTextMessage(text));
            }
        }
    }

    /** What is at each place that is sent to, sorted and taken out. */
    private static void expectAtAll(String subject, List<String> texts) throws JMSException {
        for (String place : List.of("archive", "short", SUBSCRIPTION)) {
            Expect.equal(subject + " at " + place, texts, texts(place).stream().sorted().toList());
        }
    }

    private static void empty(String... queues) throws JMSException {
        for (String queue : queues) texts(queue);
    }

    private static void crossEntity() throws JMSException {
        empty("plain", "archive", "short", SUBSCRIPTION);
        sendApart("plain", "work");
        try (Client client = transacted(); MessageConsumer consumer = client.consumer("plain")) {
            receive(consumer, "work", 1);
            sendToAll(client.session, "never");
            client.session.rollback();
            expectAtAll("texts when rolled back", List.of());
            receive(consumer, "work", 2);
            sendToAll(client.session, "done");
            expectAtAll("texts before the commit", List.of());
            client.session.commit();
            expectAtAll("texts after it", List.of("done"));
            JMSException error = Expect.failure(JMSException.class, "receiving from a second entity",
                    () -> client.consumer("archive"));
            Expect.that(error.getMessage().contains("amqp:not-allowed"), "that is not the reason: " + error);
        }
        Expect.equal("texts left", List.of(), texts("plain"));
    }

    /** Three sessions of one connection, each with a listener; what fails at first is done when it comes again. */
    private static void handlers() throws Exception {
        empty("plain", "archive", "short", SUBSCRIPTION);
        List<String> names = IntStream.range(0, 9).mapToObj(number -> "work " + number).toList();
        sendApart("plain", names.toArray(String[]::new));
        CountDownLatch left = new CountDownLatch(names.size());
        Queue<JMSException> failures = new ConcurrentLinkedQueue<>();
        try (Client client = Client.open(PREFETCHING, Session.SESSION_TRANSACTED)) {
            for (int number = 0; number < 3; number += 1) {
                Session session = client.connection.createSession(Session.SESSION_TRANSACTED);
                session.createConsumer(session.createQueue("plain")).setMessageListener(message -> {
                    try {
                        if (handle(session, message)) left.countDown();
                    } catch (JMSException error) {
                        failures.add(error);
                    }
                });
            }
            boolean isDone = left.await(30, TimeUnit.SECONDS);
            Expect.that(failures.isEmpty(), "a handler failed: " + failures);
            Expect.that(isDone, left.getCount() + " messages were not handled");
        }
        expectAtAll("texts sent", names);
        Expect.equal("texts left", List.of(), texts("plain"));
    }

    private static boolean handle(Session session, Message message) throws JMSException {
        String text = message.getBody(String.class);
        sendToAll(session, text);
        if (text.endsWith("4") && Client.deliveryCount(message) == 1) {
            session.rollback();
            return false;
        }
        session.commit();
        return true;
    }

    private static void prefetched() throws JMSException {
        texts("plain");
        sendApart("plain", "one", "two", "three", "four");
        try (Client client = Client.open(PREFETCHING, Session.SESSION_TRANSACTED);
                MessageConsumer consumer = client.consumer("plain")) {
            receive(consumer, "one", 1);
            receive(consumer, "two", 1);
            client.session.rollback();
            // Those that the program has not seen are no second attempt.
            receive(consumer, "one", 2);
            receive(consumer, "two", 2);
            receive(consumer, "three", 1);
            client.session.commit();
        }
        try (Client client = transacted(); MessageConsumer first = client.consumer("plain")) {
            sendApart("plain", "five");
            try (MessageConsumer second = client.consumer("plain")) {
                receive(first, "four", 1);
                receive(second, "five", 1);
            }
            // A consumer that is closed takes nothing with it.
            client.session.commit();
        }
        Expect.equal("texts left", List.of(), texts("plain"));
    }

    private static void lost() throws JMSException {
        texts("plain");
        sendApart("plain", "work");
        try (Client client = transacted(); MessageConsumer consumer = client.consumer("plain")) {
            receive(consumer, "work", 1);
            client.send("plain", "never");
        }
        try (Client client = Client.open(); MessageConsumer consumer = client.consumer("plain")) {
            receive(consumer, "work", 2).acknowledge();
        }
        Expect.equal("texts left", List.of(), texts("plain"));
    }

    /** The library awaits no outcome in a transacted session: the commit alone tells. */
    private static void refused() throws Exception {
        lostLock();
        texts("plain");
        try (Client client = transacted()) {
            for (int number = 0; number < 101; number += 1) client.send("plain", "never");
            expectRolledBack(client, "more than 100 messages");
            client.send("plain", "the session still works");
            client.session.commit();
        }
        Expect.equal("texts left", List.of("the session still works"), texts("plain"));
    }

    /** The message waits in the client, and the program takes it when its lock has ended. */
    private static void lostLock() throws Exception {
        texts("short");
        try (Client client = Client.open("jms.prefetchPolicy.all=1", Session.SESSION_TRANSACTED);
                MessageConsumer prefetching = client.consumer("short")) {
            sendApart("short", "let it lapse");
            Thread.sleep(1_000);
            try (Client other = Client.open(); MessageConsumer next = other.consumer("short")) {
                Message again = next.receive(Client.PATIENCE_MS);
                Expect.equal("delivery count", 2, Client.deliveryCount(again));
                receive(prefetching, "let it lapse", 1);
                client.send("short", "never");
                expectRolledBack(client, "The lock supplied is invalid");
                again.acknowledge();
            }
        }
        Expect.equal("texts left", List.of(), texts("short"));
    }

    /** The library is in doubt about a commit that is refused with the condition of a roll back; it knows any other for one. */
    private static void expectRolledBack(Client client, String reason) {
        JMSException error = Expect.failure(JMSException.class, "committing", client.session::commit);
        Expect.that(error.getMessage().contains(reason), "\"" + reason + "\" is not the reason: " + error);
    }
}
