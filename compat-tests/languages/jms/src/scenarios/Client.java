// One JMS connection with one session, and the steps that most scenarios share.
package scenarios;

import jakarta.jms.Connection;
import jakarta.jms.Destination;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.util.ArrayList;
import java.util.List;
import org.apache.qpid.jms.JmsConnectionFactory;

final class Client implements AutoCloseable {
    /** An extension of Qpid JMS: each message is acknowledged by itself, in the way its property ACK_TYPE says. */
    static final int INDIVIDUAL_ACKNOWLEDGE = 101;
    static final String ACK_TYPE = "JMS_AMQP_ACK_TYPE";
    static final int REJECTED = 2;
    static final int RELEASED = 3;
    static final int MODIFIED_FAILED = 4;

    /** No message waits in the client, and the broker's clock alone says what has expired. */
    static final String PULL = "jms.prefetchPolicy.all=0&jms.localMessageExpiry=false";

    /** For what must come. */
    static final long PATIENCE_MS = 10_000;
    /** For what must not come. */
    static final long GLANCE_MS = 700;

    final Connection connection;
    final Session session;

    private Client(JmsConnectionFactory factory, int mode) throws JMSException {
        connection = factory.createConnection();
        try {
            session = connection.createSession(mode);
            connection.start();
        } catch (JMSException error) {
            connection.close();
            throw error;
        }
    }

    static Client open() throws JMSException {
        return open(PULL, INDIVIDUAL_ACKNOWLEDGE);
    }

    static Client open(String options, int mode) throws JMSException {
        return new Client(factory("amqp", "", options), mode);
    }

    static Client open(JmsConnectionFactory factory) throws JMSException {
        return new Client(factory, INDIVIDUAL_ACKNOWLEDGE);
    }

    static JmsConnectionFactory factory(String scheme, String path, String options) {
        return factory(scheme + "://" + Program.setting("HOST") + ":" + Program.setting("PORT") + path + "?" + options,
                Program.setting("KEY"));
    }

    static JmsConnectionFactory factory(String uri, String key) {
        return new JmsConnectionFactory(Program.setting("KEY_NAME"), key, uri);
    }

    Destination queue(String name) throws JMSException {
        return session.createQueue(name);
    }

    MessageConsumer consumer(String queue) throws JMSException {
        return session.createConsumer(queue(queue));
    }

    /** Returns the id that the message was given. */
    String send(Destination destination, Message message) throws JMSException {
        try (MessageProducer producer = session.createProducer(destination)) {
            producer.send(message);
            return message.getJMSMessageID();
        }
    }

    String send(String queue, String text) throws JMSException {
        return send(queue(queue), session.createTextMessage(text));
    }

    /** The message with that id; those before it are left-overs and acknowledged. */
    static Message take(MessageConsumer consumer, String id) throws JMSException {
        long end = System.nanoTime() + PATIENCE_MS * 1_000_000;
        while (System.nanoTime() < end) {
            Message message = consumer.receive(2_000);
            if (message == null) continue;
            if (id.equals(message.getJMSMessageID())) return message;
            message.acknowledge();
        }
        throw new AssertionError("message " + id + " did not come within " + PATIENCE_MS + " ms");
    }

    /** All that is to be had now, acknowledged. */
    static List<Message> drain(MessageConsumer consumer) throws JMSException {
        List<Message> all = new ArrayList<>();
        while (true) {
            Message message = consumer.receive(GLANCE_MS);
            if (message == null) return all;
            message.acknowledge();
            all.add(message);
        }
    }

    void drain(String queue) throws JMSException {
        try (MessageConsumer consumer = consumer(queue)) {
            drain(consumer);
        }
    }

    static void expectGone(MessageConsumer consumer, String id) throws JMSException {
        for (Message message : drain(consumer)) {
            Expect.that(!id.equals(message.getJMSMessageID()), "message " + id + " came though it should not");
        }
    }

    static void acknowledge(Message message, int type) throws JMSException {
        message.setIntProperty(ACK_TYPE, type);
        message.acknowledge();
    }

    static int deliveryCount(Message message) throws JMSException {
        return message.getIntProperty("JMSXDeliveryCount");
    }

    static List<String> ids(List<Message> messages) throws JMSException {
        List<String> ids = new ArrayList<>();
        for (Message message : messages) ids.add(message.getJMSMessageID());
        return ids;
    }

    @Override
    public void close() throws JMSException {
        connection.close();
    }
}
