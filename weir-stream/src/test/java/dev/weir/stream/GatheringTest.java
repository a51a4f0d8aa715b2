package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Tests that results of slow handlers are emitted in groups, and never left behind. */
class GatheringTest {

    private static final int LANES = 64;
    private static final int MILLIS = 4;

    private static Sink<Integer> counting(AtomicInteger batches, AtomicInteger elements) {
        return Sink.custom("counting", context -> upstream -> {
            Batch<Integer> batch;
            while ((batch = upstream.pull(Stage.NEVER)) != null) {
                batches.incrementAndGet();
                elements.addAndGet(batch.size());
                batch.ackAll();
                batch.release();
            }
        });
    }

    @Test
    void backlog_ofSlowHandlers_leavesInRuns() throws Exception {
        int count = LANES * 100;
        AtomicInteger batches = new AtomicInteger();
        AtomicInteger elements = new AtomicInteger();
        TrackedSource.numbers(count, 512)
                .source()
                .mapBlocking(LANES, Ordering.unordered(), n -> {
                    // The handlers end at different times, spread over the duration of one call.
                    LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(1_000L * MILLIS + 61L * (n % LANES)));
                    return n;
                })
                .to(counting(batches, elements))
                .run()
                .await();
        assertThat(elements).hasValue(count);
        assertThat(batches).hasValueLessThan(count / 3);
    }

    /** The last handlers wait until earlier results arrive downstream. */
    @Test
    void handlersThatWaitForEarlierResults_getThem() throws Exception {
        int before = LANES * 20;
        int all = before + LANES * 7;
        CountDownLatch left = new CountDownLatch(before);
        AtomicInteger seen = new AtomicInteger();
        TrackedSource.numbers(all, 64)
                .source()
                .mapBlocking(LANES, Ordering.unordered(), n -> {
                    if (n < before) {
                        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(MILLIS));
                    } else if (!left.await(50, TimeUnit.SECONDS)) {
                        throw new IllegalStateException(left + " are kept");
                    }
                    return n;
                })
                .to(Sink.forEach(n -> {
                    seen.incrementAndGet();
                    left.countDown();
                }))
                .run()
                .await();
        assertThat(seen).hasValue(all);
    }
}
