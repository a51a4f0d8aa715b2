package dev.weir.testkit.internal;

import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the waits, the threads and the ports of a proxy without a broker. */
@Timeout(60)
class ProxyNetworkTest {

    private final ProxyNetwork network = new ProxyNetwork();

    @AfterEach
    void close() {
        network.close();
    }

    /** Regression: messages that waited already were held back as long as the former delay. */
    @Test
    void delay_thatEnds_letsGoWhatWaits() throws Exception {
        network.delay(Duration.ofHours(1));
        long due = network.dueNanos();
        Thread waiting = Thread.ofPlatform().daemon().start(() -> {
            try {
                network.awaitPassage(due, 0);
            } catch (InterruptedException ended) {
                Thread.currentThread().interrupt();
            }
        });
        while (waiting.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }

        network.delay(Duration.ZERO);

        waiting.join();
    }
}
