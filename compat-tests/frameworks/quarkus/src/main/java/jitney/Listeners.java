// Consumers of a queue, of subscriptions and of requests; what has come to each is in an inbox of its name.

package jitney;

import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.JMSRuntimeException;
import jakarta.jms.Message;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

@ApplicationScoped
class Listeners {
    static final int PATIENCE_MS = 30_000;

    private final Map<String, BlockingQueue<String>> inboxes = new ConcurrentHashMap<>();
    @Inject
    ConnectionFactory connectionFactory;
    private JMSContext context;

    /** What a topic gets from now on reaches the subscriptions. */
    void start() {
        context = connectionFactory.createContext();
        context.setAutoStart(false);
        var orders = context.createQueue("orders");
        var events = context.createTopic("events");
        listen("red orders", context.createConsumer(orders, "color = 'red'"));
        listen("workers", context.createSharedDurableConsumer(events, "workers"));
        listen("reds", context.createSharedDurableConsumer(events, "reds", "color = 'red'"));
        listen("screens", context.createSharedConsumer(events, "screens"));
        context.createConsumer(context.createQueue("prices")).setMessageListener(this::answer);
        context.start();
    }

    @PreDestroy
    void stop() {
        if (context != null) context.close();
    }

    /** The next text that has come there, or null. */
    String next(String inbox) throws InterruptedException {
        return inbox(inbox).poll(PATIENCE_MS, TimeUnit.MILLISECONDS);
    }

    private void listen(String inbox, JMSConsumer consumer) {
        consumer.setMessageListener(message -> inbox(inbox).add(text(message)));
    }

    private void answer(Message request) {
        try {
            var reply = context.createProducer().setJMSCorrelationID(request.getJMSMessageID());
            reply.send(request.getJMSReplyTo(), text(request) + " costs 7");
        } catch (JMSException error) {
            throw new JMSRuntimeException(error.getMessage(), error.getErrorCode(), error);
        }
    }

    private BlockingQueue<String> inbox(String name) {
        return inboxes.computeIfAbsent(name, unused -> new LinkedBlockingQueue<>());
    }

    private static String text(Message message) {
        try {
            return message.getBody(String.class);
        } catch (JMSException error) {
            throw new JMSRuntimeException(error.getMessage(), error.getErrorCode(), error);
        }
    }
}
