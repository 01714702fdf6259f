// The clients of the library over plain AMQP, and the steps that most scenarios share.
package scenarios;

import com.azure.core.amqp.AmqpRetryOptions;
import com.azure.core.amqp.exception.AmqpErrorCondition;
import com.azure.core.amqp.exception.AmqpException;
import com.azure.messaging.servicebus.ServiceBusClientBuilder;
import com.azure.messaging.servicebus.ServiceBusMessage;
import com.azure.messaging.servicebus.ServiceBusReceivedMessage;
import com.azure.messaging.servicebus.ServiceBusReceiverClient;
import com.azure.messaging.servicebus.ServiceBusSenderClient;
import com.azure.messaging.servicebus.models.ServiceBusReceiveMode;
import com.azure.messaging.servicebus.models.SubQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

final class Bus {
    /** For what must come. */
    static final Duration PATIENCE = Duration.ofSeconds(10);
    /** For what must not come. */
    static final Duration GLANCE = Duration.ofMillis(700);

    private Bus() {}

    static ServiceBusClientBuilder builder() {
        return builder(Program.setting("CONNECTION_STRING"));
    }

    static ServiceBusClientBuilder builder(String connectionString) {
        return new ServiceBusClientBuilder().connectionString(connectionString).retryOptions(retries());
    }

    /** The library's own, but a call that is never answered is told as such within the time of a scenario. */
    static AmqpRetryOptions retries() {
        return new AmqpRetryOptions().setTryTimeout(Duration.ofSeconds(15)).setMaxRetries(1);
    }

    static ServiceBusSenderClient sender(String queue) {
        return builder().sender().queueName(queue).buildClient();
    }

    static ServiceBusReceiverClient receiver(String queue) {
        return receiver(builder(), queue);
    }

    static ServiceBusReceiverClient receiver(ServiceBusClientBuilder builder, String queue) {
        return builder.receiver().queueName(queue).disableAutoComplete().buildClient();
    }

    static ServiceBusReceiverClient deletingReceiver(String queue) {
        return builder().receiver().queueName(queue)
                .receiveMode(ServiceBusReceiveMode.RECEIVE_AND_DELETE).disableAutoComplete().buildClient();
    }

    static ServiceBusReceiverClient deadLetterReceiver(String queue) {
        return builder().receiver().queueName(queue).subQueue(SubQueue.DEAD_LETTER_QUEUE)
                .disableAutoComplete().buildClient();
    }

    static ServiceBusReceiverClient subscriptionReceiver(String topic, String subscription) {
        return builder().receiver().topicName(topic).subscriptionName(subscription)
                .disableAutoComplete().buildClient();
    }

    /** A message with an id of its own. */
    static ServiceBusMessage message(String body) {
        return new ServiceBusMessage(body).setMessageId(UUID.randomUUID().toString());
    }

    /** Sends a new message and returns its id. */
    static String send(String queue, String body) {
        ServiceBusMessage message = message(body);
        send(queue, message);
        return message.getMessageId();
    }

    static void send(String queue, ServiceBusMessage message) {
        try (ServiceBusSenderClient sender = sender(queue)) {
            sender.sendMessage(message);
        }
    }

    /** The message with that id; those before it are left-overs and completed. */
    static ServiceBusReceivedMessage take(ServiceBusReceiverClient receiver, String id) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (System.nanoTime() < end) {
            for (ServiceBusReceivedMessage message : receiver.receiveMessages(1, Duration.ofSeconds(2))) {
                if (id.equals(message.getMessageId())) return message;
                receiver.complete(message);
            }
        }
        throw new AssertionError("message " + id + " did not come within " + PATIENCE.toSeconds() + " s");
    }

    /** All that is to be had now, completed. */
    static List<ServiceBusReceivedMessage> drain(ServiceBusReceiverClient receiver) {
        return drain(receiver, 0);
    }

    /**
     * At least so many messages, and all that come with them, completed.
     *
     * <p>One glance is not enough for messages that must come: the library releases what reaches it between two calls, and such a
     * message comes again a moment later, maybe behind its followers.
     */
    static List<ServiceBusReceivedMessage> drain(ServiceBusReceiverClient receiver, int atLeast) {
        List<ServiceBusReceivedMessage> all = new ArrayList<>();
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            int countBefore = all.size();
            for (ServiceBusReceivedMessage message : receiver.receiveMessages(20, GLANCE)) {
                receiver.complete(message);
                all.add(message);
            }
            boolean isComplete = all.size() >= atLeast || System.nanoTime() >= end;
            if (isComplete && all.size() == countBefore) return all;
        }
    }

    static void expectGone(ServiceBusReceiverClient receiver, String id) {
        for (ServiceBusReceivedMessage message : drain(receiver)) {
            Expect.that(!id.equals(message.getMessageId()), "message " + id + " came though it should not");
        }
    }

    /** Some calls throw the library's exception, some another around it: the condition in it counts. */
    static void expectFailure(AmqpErrorCondition condition, String call, Scenario action) {
        RuntimeException error = Expect.failure(RuntimeException.class, call, action);
        for (Throwable cause = error; cause != null; cause = cause.getCause()) {
            if (cause instanceof AmqpException found) {
                Expect.equal("condition of " + call, condition, found.getErrorCondition());
                return;
            }
        }
        throw new AssertionError(call + " failed without a condition: " + error, error);
    }
}
