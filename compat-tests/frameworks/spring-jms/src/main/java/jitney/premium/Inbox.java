// What each listener has received, by the name of the listener.

package jitney.premium;

import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.springframework.stereotype.Component;

@Component
class Inbox {
    static final int PATIENCE_S = 30;
    private final Map<String, BlockingQueue<String>> received = new ConcurrentHashMap<>();

    void add(String listener, String text) {
        of(listener).add(text);
    }

    /** Waits for the next message of a listener. */
    void expect(String listener, String text) throws InterruptedException {
        Expect.equal(listener, text, of(listener).poll(PATIENCE_S, TimeUnit.SECONDS));
    }

    /** Two consumers take messages in any order. */
    void expectInAnyOrder(String listener, String... texts) throws InterruptedException {
        var seen = new TreeSet<String>();
        for (int count = 0; count < texts.length; count++) seen.add(of(listener).poll(PATIENCE_S, TimeUnit.SECONDS));
        Expect.equal(listener, new TreeSet<>(List.of(texts)), seen);
    }

    void expectNoMore(String listener) {
        Expect.equal("another message for " + listener, null, of(listener).poll());
    }

    private BlockingQueue<String> of(String listener) {
        return received.computeIfAbsent(listener, name -> new LinkedBlockingQueue<>());
    }
}
