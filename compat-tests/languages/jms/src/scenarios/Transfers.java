// Sending and what arrives: contents, duplicates, time to live, delays, topics, forwarding and refusals.
package scenarios;

import jakarta.jms.BytesMessage;
import jakarta.jms.Destination;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.JMSException;
import jakarta.jms.MapMessage;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.apache.qpid.jms.JmsDestination;
import org.apache.qpid.jms.JmsSession;
import org.apache.qpid.jms.message.JmsMessageIDBuilder;
import org.apache.qpid.jms.policy.JmsMessageIDPolicy;

final class Transfers {
    private static final Map<String, Object> PROPERTIES = Map.of(
            "boolean", true, "byte", (byte) -7, "short", (short) -700, "int", 70_000, "long", 1L << 60,
            "float", 1.5f, "double", 2.25, "string", "grüße");

    private Transfers() {}

    static void addTo(Map<String, Scenario> scenarios) {
        scenarios.put("send-receive", Transfers::sendAndReceive);
        scenarios.put("receive-and-delete", Transfers::receiveAndDelete);
        scenarios.put("duplicate", Transfers::duplicate);
        scenarios.put("time-to-live", Transfers::timeToLive);
        scenarios.put("delivery-delay", Transfers::deliveryDelay);
        scenarios.put("topic-rules", Transfers::topicRules);
        scenarios.put("forwarding", Transfers::forwarding);
        scenarios.put("send-back", Transfers::sendBack);
        scenarios.put("errors", Transfers::errors);
    }

    private static void sendAndReceive() throws JMSException {
        try (Client client = Client.open(); MessageConsumer consumer = client.consumer("plain")) {
            TextMessage text = client.session.createTextMessage("text");
            text.setJMSCorrelationID("correlation");
            text.setJMSType("subject");
            text.setJMSReplyTo(client.queue("archive"));
            for (Map.Entry<String, Object> entry : PROPERTIES.entrySet()) {
                text.setObjectProperty(entry.getKey(), entry.getValue());
            }
            Message received = Client.take(consumer, client.send(client.queue("plain"), text));
            Expect.equal("text", "text", ((TextMessage) received).getText());
            Expect.equal("correlation id", "correlation", received.getJMSCorrelationID());
            Expect.equal("type", "subject", received.getJMSType());
            Expect.equal("reply to", client.queue("archive"), received.getJMSReplyTo());
            Expect.equal("destination", client.queue("plain"), received.getJMSDestination());
            Expect.equal("delivery count", 1, Client.deliveryCount(received));
            Expect.equal("redelivered", false, received.getJMSRedelivered());
            for (Map.Entry<String, Object> entry : PROPERTIES.entrySet()) {
                Expect.equal("property " + entry.getKey(), entry.getValue(),
                        received.getObjectProperty(entry.getKey()));
            }
            received.acknowledge();
            otherBodies(client, consumer);
        }
    }

    private static void otherBodies(Client client, MessageConsumer consumer) throws JMSException {
        BytesMessage bytes = client.session.createBytesMessage();
        bytes.writeBytes(new byte[] {0, 1, (byte) 0xff});
        Message received = Client.take(consumer, client.send(client.queue("plain"), bytes));
        Expect.equal("bytes", List.of((byte) 0, (byte) 1, (byte) 0xff),
                List.of(received.getBody(byte[].class)[0], received.getBody(byte[].class)[1],
                        received.getBody(byte[].class)[2]));
        received.acknowledge();
        MapMessage map = client.session.createMapMessage();
        map.setString("name", "value");
        map.setLong("number", 5);
        received = Client.take(consumer, client.send(client.queue("plain"), map));
        Expect.equal("name in the map", "value", ((MapMessage) received).getString("name"));
        Expect.equal("number in the map", 5L, ((MapMessage) received).getLong("number"));
        received.acknowledge();
    }

    private static void receiveAndDelete() throws JMSException {
        String presettled = Client.PULL + "&jms.presettlePolicy.presettleConsumers=true";
        try (Client client = Client.open(); Client taker = Client.open(presettled, Session.AUTO_ACKNOWLEDGE)) {
            client.drain("plain");
            String id = client.send("plain", "taken at once");
            try (MessageConsumer consumer = taker.consumer("plain")) {
                Message message = consumer.receive(Client.PATIENCE_MS);
                Expect.that(message != null, "nothing came");
                Expect.equal("id", id, message.getJMSMessageID());
                Expect.equal("text", "taken at once", message.getBody(String.class));
            }
            try (MessageConsumer consumer = client.consumer("plain")) {
                Client.expectGone(consumer, id);
            }
        }
    }

    /** JMS gives each message an id of its own; a policy of the program's own decides otherwise. */
    private record SameId(String id) implements JmsMessageIDPolicy {
        @Override
        public JmsMessageIDPolicy copy() {
            return this;
        }

        @Override
        public JmsMessageIDBuilder getMessageIDBuilder(JmsSession session, JmsDestination destination) {
            return new JmsMessageIDBuilder() {
                @Override
                public Object createMessageID(String producerId, long messageSequence) {
                    return id;
                }

                @Override
                public JmsMessageIDBuilder initialize(String producerId) {
                    return this;
                }
            };
        }
    }

    private static void duplicate() throws JMSException {
        String id = "ID:" + UUID.randomUUID();
        JmsConnectionFactory factory = Client.factory("amqp", "", Client.PULL);
        factory.setMessageIDPolicy(new SameId(id));
        try (Client client = Client.open(factory); MessageConsumer consumer = client.consumer("duplicates")) {
            client.send("duplicates", "once");
            client.send("duplicates", "twice");
            List<Message> messages = Client.drain(consumer);
            Expect.equal("ids", List.of(id), Client.ids(messages));
            Expect.equal("text", "once", messages.get(0).getBody(String.class));
        }
    }

    private static void timeToLive() throws Exception {
        try (Client client = Client.open();
                MessageProducer producer = client.session.createProducer(client.queue("plain"))) {
            producer.setTimeToLive(1_000);
            Message message = client.session.createTextMessage("short-lived");
            producer.send(message);
            Thread.sleep(1_500);
            try (MessageConsumer consumer = client.consumer("plain")) {
                Client.expectGone(consumer, message.getJMSMessageID());
            }
        }
    }

    private static void deliveryDelay() throws JMSException {
        try (Client client = Client.open();
                MessageProducer producer = client.session.createProducer(client.queue("plain"));
                MessageConsumer consumer = client.consumer("plain")) {
            producer.setDeliveryDelay(2_000);
            long start = System.currentTimeMillis();
            Message message = client.session.createTextMessage("later");
            producer.send(message);
            Client.expectGone(consumer, message.getJMSMessageID());
            Message received = Client.take(consumer, message.getJMSMessageID());
            long passed = System.currentTimeMillis() - start;
            Expect.that(passed >= 2_000, "it came after " + passed + " ms");
            Expect.equal("delivery time", message.getJMSDeliveryTime(), received.getJMSDeliveryTime());
            received.acknowledge();
        }
    }

    private static void topicRules() throws JMSException {
        try (Client client = Client.open();
                MessageConsumer all = client.consumer("events/Subscriptions/all");
                MessageConsumer onlyRed = client.consumer("events/Subscriptions/red")) {
            Client.drain(all);
            Client.drain(onlyRed);
            Destination topic = client.session.createTopic("events");
            Message red = client.session.createTextMessage("red");
            red.setJMSType("red");
            Message blue = client.session.createTextMessage("blue");
            blue.setJMSType("blue");
            client.send(topic, red);
            client.send(topic, blue);
            Expect.equal("ids of all", List.of(red.getJMSMessageID(), blue.getJMSMessageID()),
                    Client.ids(Client.drain(all)));
            Expect.equal("ids of red", List.of(red.getJMSMessageID()), Client.ids(Client.drain(onlyRed)));
        }
    }

    private static void forwarding() throws JMSException {
        try (Client client = Client.open(); MessageConsumer consumer = client.consumer("archive")) {
            Client.take(consumer, client.send("inbox", "onwards")).acknowledge();
        }
    }

    private static void sendBack() throws JMSException {
        try (Client client = Client.open(); MessageConsumer consumer = client.consumer("plain")) {
            TextMessage message = client.session.createTextMessage("there and back");
            message.setIntProperty("round", 1);
            Message first = Client.take(consumer, client.send(client.queue("plain"), message));
            first.acknowledge();
            Message second = Client.take(consumer, client.send(client.queue("plain"), first));
            Expect.equal("text", "there and back", second.getBody(String.class));
            Expect.equal("property", 1, second.getIntProperty("round"));
            Expect.equal("delivery count", 1, Client.deliveryCount(second));
            second.acknowledge();
        }
    }

    private static void errors() throws JMSException {
        try (Client client = Client.open()) {
            Expect.failure(InvalidDestinationException.class, "sending to a missing queue",
                    () -> client.send("missing", "lost"));
            Expect.failure(InvalidDestinationException.class, "receiving from a missing queue",
                    () -> client.consumer("missing"));
            Expect.failure(JMSException.class, "receiving without a session", () -> client.consumer("sessions"));
            Expect.failure(InvalidDestinationException.class, "receiving from a topic as from a queue",
                    () -> client.consumer("events"));
            JMSException error = Expect.failure(JMSException.class, "sending a message of 300 kB",
                    () -> client.send("plain", "x".repeat(300_000)));
            Expect.that(error.getMessage().contains("amqp:link:message-size-exceeded"),
                    "the size is not the reason: " + error);
            client.send("plain", "the connection still works");
        }
    }
}
