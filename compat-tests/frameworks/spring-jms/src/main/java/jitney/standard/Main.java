// The tier standard: a JmsTemplate sends to a queue that exists, and a JmsListener receives from it.

package jitney.standard;

import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.jms.annotation.EnableJms;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.jms.core.JmsTemplate;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

@SpringBootApplication
@EnableJms
public class Main {
    private final CountDownLatch received = new CountDownLatch(1);

    public static void main(String[] words) {
        SpringApplication.run(Main.class, "--spring.jms.servicebus.pricing-tier=standard").close();
    }

    @Bean
    ApplicationRunner sendAndWait(JmsTemplate jms) {
        return arguments -> {
            jms.convertAndSend("spring", "hello");
            if (!received.await(30, TimeUnit.SECONDS)) throw new IllegalStateException("Nothing came within 30 s.");
            System.out.println("good: the tier standard sends and receives");
        };
    }

    @JmsListener(destination = "spring")
    void receive(String text) {
        if (text.equals("hello")) received.countDown();
    }
}
