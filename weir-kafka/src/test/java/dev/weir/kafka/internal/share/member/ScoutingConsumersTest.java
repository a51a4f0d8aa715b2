package dev.weir.kafka.internal.share.member;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class ScoutingConsumersTest {

    private static final long LONG = TimeUnit.SECONDS.toNanos(20);

    private final ScoutingConsumers scouts = new ScoutingConsumers();
    private final Object first = new Object();
    private final Object second = new Object();

    @Test
    void oneAsks_theOtherDoesNot() throws Exception {
        assertThat(scouts.mayAsk(first, 0)).isTrue();
        assertThat(scouts.mayAsk(first, 0)).isTrue();
        assertThat(scouts.mayAsk(second, 0)).isFalse();
    }

    @Test
    void scoutThatLeaves_makesRoom() throws Exception {
        assertThat(scouts.mayAsk(first, 0)).isTrue();
        scouts.leave(second);
        assertThat(scouts.mayAsk(second, 0)).isFalse();
        scouts.leave(first);
        assertThat(scouts.mayAsk(second, 0)).isTrue();
    }

    @Test
    void find_callsThoseThatWait() throws Exception {
        assertThat(scouts.mayAsk(first, 0)).isTrue();
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        Thread waiting = Thread.ofVirtual().start(() -> {
            begun.countDown();
            try {
                answer.complete(scouts.mayAsk(second, LONG));
            } catch (InterruptedException e) {
                answer.completeExceptionally(e);
            }
        });
        begun.await();
        scouts.found(first);
        assertThat(answer.get(10, TimeUnit.SECONDS)).isTrue();
        waiting.join();
    }
}
