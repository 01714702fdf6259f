// All that an annotated method can receive from: queues and the four kinds of subscriptions, with selectors and replies.

package jitney.premium;

import jakarta.jms.JMSException;
import jakarta.jms.Message;
import org.springframework.context.annotation.Profile;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.SendTo;
import org.springframework.stereotype.Component;

@Component
@Profile("!" + Main.WITHOUT_LISTENERS)
class Listeners {
    private final Inbox inbox;

    Listeners(Inbox inbox) {
        this.inbox = inbox;
    }

    // region: listeners
    @JmsListener(destination = "orders")
    void order(String text) {
        inbox.add("orders", text);
    }

    // The starter has this factory, for subscriptions that are durable and not shared.
    @JmsListener(destination = "events", subscription = "billing", containerFactory = "topicJmsListenerContainerFactory")
    void bill(String text) {
        inbox.add("billing", text);
    }

    @JmsListener(
            destination = "events",
            subscription = "reds",
            selector = "color = 'red'",
            containerFactory = "topicJmsListenerContainerFactory")
    void red(String text) {
        inbox.add("reds", text);
    }

    @JmsListener(destination = "events", subscription = "workers", containerFactory = "sharedDurable", concurrency = "2")
    void work(String text) {
        inbox.add("workers", text);
    }

    @JmsListener(destination = "events", subscription = "screens", containerFactory = "shared")
    void show(String text) {
        inbox.add("screens", text);
    }

    // What is returned goes to the JMSReplyTo of the message, such as the temporary queue of sendAndReceive.
    @JmsListener(destination = "prices")
    String price(String item) {
        return item + " costs 7";
    }

    // Or to this queue, if the message has none.
    @JmsListener(destination = "incoming")
    @SendTo("outgoing")
    String forward(String text) {
        return "forwarded " + text;
    }
    // endregion

    @JmsListener(destination = "paints", selector = "color = 'red' AND JMSPriority > 5")
    void paint(String text) {
        inbox.add("paints", text);
    }

    /** Throws at the first delivery. */
    @JmsListener(destination = "fragile")
    void fragile(Message message) throws JMSException {
        int deliveryCount = message.getIntProperty("JMSXDeliveryCount");
        inbox.add("fragile", deliveryCount + " " + message.getJMSRedelivered());
        if (deliveryCount == 1) throw new IllegalStateException("this is the first delivery");
    }

    @JmsListener(destination = "poison")
    void poison(@Header("JMSXDeliveryCount") int deliveryCount) {
        throw new IllegalStateException("this is delivery " + deliveryCount);
    }
}
