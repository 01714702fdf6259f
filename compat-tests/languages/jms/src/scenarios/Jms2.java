// JMS 2.0 with both libraries: entities made by using them, temporary queues, and subscriptions, also over a crash.
package scenarios;

import com.azure.servicebus.jms.ServiceBusJmsConnectionFactory;
import com.azure.servicebus.jms.ServiceBusJmsConnectionFactorySettings;
import jakarta.jms.Connection;
import jakarta.jms.Destination;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.InvalidSelectorException;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.QueueBrowser;
import jakarta.jms.Session;
import jakarta.jms.TemporaryQueue;
import jakarta.jms.Topic;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.qpid.jms.JmsConnectionExtensions;
import org.apache.qpid.jms.JmsConnectionFactory;

final class Jms2 {
    private static final String CLIENT_ID = "shop";

    private Jms2() {}

    /** Opens a connection with a client id, or with none. */
    private interface Library {
        Connection open(String clientId) throws JMSException;
    }

    private interface Check {
        void run(Library library) throws JMSException;
    }

    static void addTo(Map<String, Scenario> scenarios) {
        scenarios.put("jms2-queues", () -> withBoth(Jms2::queues));
        scenarios.put("jms2-topics", () -> withBoth(Jms2::topics));
        scenarios.put("jms2-transactions", () -> withBoth(Jms2::transactions));
        scenarios.put("jms2-selectors", () -> withBoth(Jms2::selectors));
        scenarios.put("tour-jms2", Jms2::tour);
        scenarios.put("jms2-restart-before", () -> beforeRestart(azure()));
        scenarios.put("jms2-restart-after", () -> afterRestart(azure()));
    }

    private static void withBoth(Check check) throws JMSException {
        check.run(Jms2::qpid);
        check.run(azure());
    }

    /** Of an emulator that was started with --jms all. */
    private static Connection qpid(String clientId) throws JMSException {
        String uri = "amqp://" + Program.setting("HOST") + ":" + Program.setting("AUTO_CREATE_PORT");
        JmsConnectionFactory factory = Client.factory(uri, Program.setting("KEY"));
        if (clientId != null) factory.setClientID(clientId);
        return started(factory.createConnection());
    }

    /** It dials 5671 whatever its connection string says. */
    private static Library azure() {
        if (System.getenv("TLS_PORT") == null) {
            throw new LeftOut("azure-servicebus-jms dials 5671 alone, and that port is taken here");
        }
        return clientId -> {
            ServiceBusJmsConnectionFactory factory = new ServiceBusJmsConnectionFactory(
                    Program.setting("CONNECTION_STRING"), new ServiceBusJmsConnectionFactorySettings());
            if (clientId != null) factory.setClientId(clientId);
            return started(factory.createConnection());
        };
    }

    /** Qpid JMS with what azure-servicebus-jms says in its open, but without TLS: what it says can be recorded. */
    private static Connection asAzure(String clientId) throws JMSException {
        JmsConnectionFactory factory = Client.factory("amqp", "", Client.PULL);
        factory.setExtension(JmsConnectionExtensions.AMQP_OPEN_PROPERTIES.toString(),
                (connection, uri) -> new HashMap<String, Object>(Map.of("com.microsoft:is-client-provider", true)));
        if (clientId != null) factory.setClientID(clientId);
        return started(factory.createConnection());
    }

    /** Each thing once: what `npm run measure -- record` records. It shows no behaviour of its own. */
    private static void tour() throws JMSException {
        try (Connection connection = asAzure(CLIENT_ID)) {
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            MessageProducer any = session.createProducer(null);
            MessageConsumer requests = session.createConsumer(session.createQueue("requests"));
            TemporaryQueue replies = session.createTemporaryQueue();
            MessageConsumer replied = session.createConsumer(replies);
            Message request = session.createTextMessage("request");
            request.setJMSReplyTo(replies);
            any.send(session.createQueue("requests"), request);
            any.send(requests.receive(Client.PATIENCE_MS).getJMSReplyTo(), session.createTextMessage("reply"));
            Expect.equal("reply", "reply", textOf(replied));
            replied.close();
            replies.delete();
            session.createTemporaryTopic().delete();
            Topic events = session.createTopic("news");
            List<MessageConsumer> consumers = List.of(
                    session.createConsumer(events),
                    session.createDurableConsumer(events, "archive"),
                    session.createSharedConsumer(events, "screens"),
                    session.createSharedDurableConsumer(events, "workers"));
            any.send(events, session.createTextMessage("news"));
            for (MessageConsumer consumer : consumers) Expect.equal("text", "news", textOf(consumer));
            for (MessageConsumer consumer : consumers) consumer.close();
            session.unsubscribe("archive");
            session.unsubscribe("workers");
            Expect.failure(InvalidDestinationException.class, "unsubscribing again", () -> session.unsubscribe("archive"));
            Expect.failure(JMSException.class, "a topic as a queue",
                    () -> session.createConsumer(session.createQueue("news")));
        }
        try (Connection connection = asAzure(null)) {
            Session session = connection.createSession(true, Session.SESSION_TRANSACTED);
            MessageProducer any = session.createProducer(null);
            any.send(session.createQueue("orders"), session.createTextMessage("order"));
            session.commit();
            MessageConsumer orders = session.createConsumer(session.createQueue("orders"));
            orders.receive(Client.PATIENCE_MS);
            session.rollback();
            orders.receive(Client.PATIENCE_MS);
            any.send(session.createQueue("invoices"), session.createTextMessage("invoice"));
            session.commit();
        }
        tourOfSelectors();
    }

    private static void tourOfSelectors() throws JMSException {
        try (Connection connection = asAzure(CLIENT_ID)) {
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            Queue requests = session.createQueue("requests");
            Topic events = session.createTopic("news");
            MessageConsumer reds = session.createDurableConsumer(events, "reds", "color = 'red'", false);
            MessageProducer any = session.createProducer(null);
            for (String color : List.of("blue", "red")) {
                Message message = session.createTextMessage(color);
                message.setStringProperty("color", color);
                any.send(requests, message);
                any.send(events, message);
            }
            try (QueueBrowser browser = session.createBrowser(requests, "color = 'red'")) {
                Expect.equal("what the browser shows", 1, Collections.list(browser.getEnumeration()).size());
            }
            try (MessageConsumer consumer = session.createConsumer(requests, "color = 'red'")) {
                Expect.equal("the text from the queue", "red", textOf(consumer));
            }
            Expect.equal("the text from the subscription", "red", textOf(reds));
            reds.close();
            session.unsubscribe("reds");
            try (MessageConsumer consumer = session.createConsumer(requests)) {
                Expect.equal("the text that was left", "blue", textOf(consumer));
            }
        }
    }

    private static Connection started(Connection connection) throws JMSException {
        connection.start();
        return connection;
    }

    private static void queues(Library library) throws JMSException {
        try (Connection connection = library.open(null)) {
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            MessageConsumer requests = session.createConsumer(session.createQueue("requests"));
            MessageProducer any = session.createProducer(null);
            TemporaryQueue replies = session.createTemporaryQueue();
            MessageConsumer replied = session.createConsumer(replies);
            Message request = session.createTextMessage("request");
            request.setJMSReplyTo(replies);
            any.send(session.createQueue("requests"), request);
            Message received = requests.receive(Client.PATIENCE_MS);
            Expect.that(received.getJMSReplyTo() instanceof TemporaryQueue, "the reply goes to no temporary queue");
            try (Connection other = library.open(null)) {
                Session elsewhere = other.createSession(false, Session.AUTO_ACKNOWLEDGE);
                elsewhere.createProducer(null).send(received.getJMSReplyTo(), elsewhere.createTextMessage("reply"));
            }
            Expect.equal("reply", "reply", textOf(replied));
            replied.close();
            replies.delete();
            try (Connection other = library.open(null)) {
                Session elsewhere = other.createSession(false, Session.AUTO_ACKNOWLEDGE);
                Expect.failure(InvalidDestinationException.class, "sending to a temporary queue that is gone",
                        () -> elsewhere.createProducer(received.getJMSReplyTo()));
            }
        }
    }

    private static void topics(Library library) throws JMSException {
        try (Connection connection = library.open(CLIENT_ID)) {
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            Topic news = session.createTopic("news");
            List<MessageConsumer> consumers = new ArrayList<>(List.of(
                    session.createConsumer(news),
                    session.createDurableConsumer(news, "archive"),
                    session.createSharedConsumer(news, "screens")));
            MessageProducer producer = session.createProducer(news);
            producer.send(session.createTextMessage("first"));
            for (MessageConsumer consumer : consumers) Expect.equal("text", "first", textOf(consumer));
            secondConsumer(library, news);
            for (MessageConsumer consumer : consumers) consumer.close();
            producer.send(session.createTextMessage("second"));
            try (MessageConsumer again = session.createDurableConsumer(news, "archive");
                    MessageConsumer fresh = session.createSharedConsumer(news, "screens")) {
                Expect.equal("text", "second", textOf(again));
                Expect.equal("text of a consumer that is new", null, fresh.receive(Client.GLANCE_MS));
            }
            session.unsubscribe("archive");
            Expect.failure(InvalidDestinationException.class, "unsubscribing again", () -> session.unsubscribe("archive"));
            shared(library, session, news);
        }
    }

    private static void secondConsumer(Library library, Topic news) throws JMSException {
        try (Connection connection = library.open(CLIENT_ID)) {
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            Expect.failure(JMSException.class, "a second consumer", () -> session.createDurableConsumer(news, "archive"));
        }
    }

    /** Two connections of one client id work on a durable subscription; each message goes to one of them. */
    private static void shared(Library library, Session session, Topic news) throws JMSException {
        try (Connection second = library.open(CLIENT_ID);
                MessageConsumer one = session.createSharedDurableConsumer(news, "workers")) {
            Session other = second.createSession(false, Session.AUTO_ACKNOWLEDGE);
            MessageConsumer two = other.createSharedDurableConsumer(news, "workers");
            for (int count = 0; count < 10; count++) session.createProducer(news).send(session.createTextMessage("work"));
            int taken = 0;
            while (one.receive(Client.GLANCE_MS) != null || two.receive(Client.GLANCE_MS) != null) taken++;
            Expect.equal("messages", 10, taken);
        }
        session.unsubscribe("workers");
    }

    private static void selectors(Library library) throws JMSException {
        try (Connection connection = library.open(CLIENT_ID)) {
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            Queue paint = session.createQueue("paint");
            Topic shades = session.createTopic("shades");
            session.createDurableConsumer(shades, "reds", "color = 'red'", false).close();
            for (Destination destination : List.of(paint, shades)) {
                for (String color : List.of("blue", "red")) sendColor(session, destination, color);
            }
            try (QueueBrowser browser = session.createBrowser(paint, "color LIKE 'r%'")) {
                Expect.equal("browsed", 1, Collections.list(browser.getEnumeration()).size());
            }
            try (MessageConsumer red = session.createConsumer(paint, "color = 'red'");
                    MessageConsumer reds = session.createDurableConsumer(shades, "reds", "color = 'red'", false)) {
                for (MessageConsumer consumer : List.of(red, reds)) {
                    Expect.equal("text", "red", textOf(consumer));
                    Expect.equal("text of what is left", null, consumer.receive(Client.GLANCE_MS));
                }
            }
            try (MessageConsumer rest = session.createConsumer(paint);
                    MessageConsumer blues = session.createDurableConsumer(shades, "reds", "color = 'blue'", false)) {
                Expect.equal("text", "blue", textOf(rest));
                sendColor(session, shades, "blue");
                Expect.equal("text", "blue", textOf(blues));
            }
            session.unsubscribe("reds");
            Expect.failure(InvalidSelectorException.class, "a selector that is not complete",
                    () -> session.createConsumer(paint, "color ="));
        }
    }

    private static void sendColor(Session session, Destination destination, String color) throws JMSException {
        Message message = session.createTextMessage(color);
        message.setStringProperty("color", color);
        try (MessageProducer producer = session.createProducer(destination)) {
            producer.send(message);
        }
    }

    /** A reply is sent with the commit that settles its request; a request that is rolled back comes again, counted. */
    private static void transactions(Library library) throws JMSException {
        try (Connection connection = library.open(null)) {
            Session session = connection.createSession(true, Session.SESSION_TRANSACTED);
            MessageConsumer orders = session.createConsumer(session.createQueue("orders"));
            MessageProducer any = session.createProducer(null);
            any.send(session.createQueue("orders"), session.createTextMessage("order"));
            session.commit();
            Expect.equal("text", "order", textOf(orders));
            any.send(session.createQueue("invoices"), session.createTextMessage("never"));
            session.rollback();
            Message again = orders.receive(Client.PATIENCE_MS);
            Expect.equal("delivery count", 2, Client.deliveryCount(again));
            any.send(session.createQueue("invoices"), session.createTextMessage("invoice"));
            any.send(session.createTopic("bookings"), session.createTextMessage("booked"));
            session.commit();
            MessageConsumer invoices = session.createConsumer(session.createQueue("invoices"));
            Expect.equal("text", "invoice", textOf(invoices));
            session.commit();
        }
    }

    private static void beforeRestart(Library library) throws JMSException {
        try (Connection connection = library.open(CLIENT_ID)) {
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            Topic topic = session.createTopic("lasting");
            session.createDurableConsumer(topic, "kept").close();
            session.createSharedDurableConsumer(topic, "team").close();
            session.createProducer(topic).send(session.createTextMessage("before"));
        }
    }

    private static void afterRestart(Library library) throws JMSException {
        try (Connection connection = library.open(CLIENT_ID)) {
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            Topic topic = session.createTopic("lasting");
            session.createProducer(topic).send(session.createTextMessage("after"));
            try (MessageConsumer kept = session.createDurableConsumer(topic, "kept");
                    MessageConsumer team = session.createSharedDurableConsumer(topic, "team")) {
                for (MessageConsumer consumer : List.of(kept, team)) {
                    Expect.equal("texts", List.of("before", "after"), List.of(textOf(consumer), textOf(consumer)));
                }
            }
            session.unsubscribe("kept");
            session.unsubscribe("team");
        }
    }

    private static String textOf(MessageConsumer consumer) throws JMSException {
        Message message = consumer.receive(Client.PATIENCE_MS);
        return message == null ? null : message.getBody(String.class);
    }
}
