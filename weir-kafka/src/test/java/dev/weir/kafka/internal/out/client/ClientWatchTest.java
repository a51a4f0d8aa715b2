package dev.weir.kafka.internal.out.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ClientWatchTest {

    // Regression: after one check ran out of memory, no dead client was detected any more.
    @Test
    void check_thatRunsOutOfMemory_isFollowedByAnother() throws InterruptedException {
        CountDownLatch checks = new CountDownLatch(2);
        Runnable end = ClientWatch.begin(Map.of(), now -> {
            checks.countDown();
            throw new OutOfMemoryError("planted");
        });
        try {
            assertThat(checks.await(20, TimeUnit.SECONDS)).isTrue();
        } finally {
            end.run();
        }
    }
}
