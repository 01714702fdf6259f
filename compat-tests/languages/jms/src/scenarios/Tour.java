// Each thing once, on entities that are empty: what `npm run measure -- record` records. It shows no behaviour of its own.
package scenarios;

import jakarta.jms.BytesMessage;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.JMSException;
import jakarta.jms.MapMessage;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.QueueBrowser;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import java.util.Collections;
import java.util.List;
import java.util.Map;

final class Tour {
    private Tour() {}

    static void addTo(Map<String, Scenario> scenarios) {
        scenarios.put("tour", Tour::tour);
    }

    private static void tour() throws JMSException {
        try (Client client = Client.open(); MessageConsumer consumer = client.consumer("plain")) {
            bodies(client, consumer);
            settlement(client, consumer);
            delivery(client, consumer);
            anonymousSender(client, consumer);
            errors(client);
        }
        acknowledgeTogether();
        topic();
        transactions();
    }

    private static void bodies(Client client, MessageConsumer consumer) throws JMSException {
        TextMessage text = client.session.createTextMessage("text");
        text.setJMSCorrelationID("correlation");
        text.setJMSType("greeting");
        text.setJMSReplyTo(client.queue("archive"));
        text.setIntProperty("whole", 7);
        text.setStringProperty("text", "grün");
        BytesMessage bytes = client.session.createBytesMessage();
        bytes.writeBytes(new byte[] {0, 1, (byte) 0xff});
        MapMessage map = client.session.createMapMessage();
        map.setString("name", "value");
        map.setLong("number", 5);
        for (Message message : List.of(text, bytes, map)) {
            Client.take(consumer, client.send(client.queue("plain"), message)).acknowledge();
        }
    }

    private static void settlement(Client client, MessageConsumer consumer) throws JMSException {
        String id = client.send("plain", "work");
        Client.acknowledge(Client.take(consumer, id), Client.MODIFIED_FAILED);
        Client.acknowledge(Client.take(consumer, id), Client.RELEASED);
        Client.acknowledge(Client.take(consumer, id), Client.REJECTED);
        try (MessageConsumer dead = client.consumer("plain/$DeadLetterQueue")) {
            Client.take(dead, id).acknowledge();
        }
    }

    /** What comes later, what is only browsed, and a wait in vain, which ends with a drain. */
    private static void delivery(Client client, MessageConsumer consumer) throws JMSException {
        try (MessageProducer producer = client.session.createProducer(client.queue("plain"))) {
            producer.setDeliveryDelay(1_000);
            Message message = client.session.createTextMessage("later");
            producer.send(message);
            Expect.that(consumer.receive(Client.GLANCE_MS) == null, "it came before its time");
            try (QueueBrowser browser = client.session.createBrowser((Queue) client.queue("plain"))) {
                Collections.list(browser.getEnumeration());
            }
            Client.take(consumer, message.getJMSMessageID()).acknowledge();
        }
    }

    /** The library opens a sender for each destination. */
    private static void anonymousSender(Client client, MessageConsumer consumer) throws JMSException {
        try (MessageProducer producer = client.session.createProducer(null)) {
            Message message = client.session.createTextMessage("to any");
            producer.send(client.queue("plain"), message);
            Client.take(consumer, message.getJMSMessageID()).acknowledge();
        }
    }

    private static void errors(Client client) {
        Expect.failure(InvalidDestinationException.class, "sending to a missing queue",
                () -> client.send("missing", "lost"));
        Expect.failure(InvalidDestinationException.class, "receiving from a missing queue",
                () -> client.consumer("missing"));
        Expect.failure(JMSException.class, "a consumer with a selector",
                () -> client.session.createConsumer(client.queue("plain"), "color = 'red'"));
        Expect.failure(JMSException.class, "a consumer without messages of its own",
                () -> client.session.createConsumer(client.session.createTopic("events"), null, true));
        Expect.failure(JMSException.class, "a temporary queue", () -> client.session.createTemporaryQueue());
        Expect.failure(JMSException.class, "unsubscribing", () -> client.session.unsubscribe("billing"));
    }

    private static void acknowledgeTogether() throws JMSException {
        try (Client client = Client.open("jms.prefetchPolicy.all=10", Session.CLIENT_ACKNOWLEDGE);
                MessageConsumer consumer = client.consumer("plain")) {
            client.send("plain", "one");
            client.send("plain", "two");
            consumer.receive(Client.PATIENCE_MS);
            consumer.receive(Client.PATIENCE_MS).acknowledge();
        }
    }

    private static void topic() throws JMSException {
        try (Client client = Client.open(); MessageConsumer consumer = client.consumer("events/Subscriptions/red")) {
            Message red = client.session.createTextMessage("event");
            red.setJMSType("red");
            red.setStringProperty("JMSXGroupID", "s");
            Client.take(consumer, client.send(client.session.createTopic("events"), red)).acknowledge();
        }
    }

    private static void transactions() throws JMSException {
        try (Client client = Client.open(Client.PULL, Session.SESSION_TRANSACTED);
                MessageConsumer consumer = client.consumer("plain")) {
            client.send("plain", "one");
            client.session.commit();
            consumer.receive(Client.PATIENCE_MS);
            client.send("archive", "never");
            client.session.rollback();
            consumer.receive(Client.PATIENCE_MS);
            client.send("archive", "done");
            client.session.commit();
        }
        try (Client client = Client.open(); MessageConsumer consumer = client.consumer("archive")) {
            consumer.receive(Client.PATIENCE_MS).acknowledge();
        }
    }
}
