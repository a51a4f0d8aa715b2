package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;

/**
 * Tests workers that take several elements at once because their handlers are quick. A handler that blocks must not
 * delay other elements or earlier results.
 */
class QuickWorkersTest {

    private static final int COUNT = 200_000;

    /**
     * Returns whether this element's handler blocks. Such an element may be in the middle of a worker's run of
     * elements.
     */
    private static boolean isHeldUp(int n) {
        return n > COUNT / 2 && n % 2_003 == 0;
    }

    private static int heldUp() {
        int count = 0;
        for (int n = 0; n < COUNT; n++) {
            count += isHeldUp(n) ? 1 : 0;
        }
        return count;
    }

    /** An order by key would also hold up elements in the same bucket. */
    @Test
    void handlers_thatBlockUntilAllOthersAreDone_holdUpNobody() throws Exception {
        CountDownLatch othersDone = new CountDownLatch(COUNT - heldUp());
        long done = Source.range(0, COUNT)
                .mapBlocking(100, Ordering.unordered(), n -> {
                    if (isHeldUp(n)) {
                        othersDone.await();
                    } else {
                        othersDone.countDown();
                    }
                    return n;
                })
                .runTo(Sink.count());
        assertThat(done).isEqualTo(COUNT);
    }

    @Test
    void handlers_thatBlockUntilTheSinkHasSeenWhatWasBefore_goOn() throws Exception {
        AtomicInteger handled = new AtomicInteger();
        SeenCount seen = new SeenCount();
        try (RunningPipeline running = Source.range(0, COUNT)
                .mapBlocking(100, Ordering.unordered(), n -> {
                    if (isHeldUp(n)) {
                        seen.await(handled.get());
                    } else {
                        handled.incrementAndGet();
                    }
                    return n;
                })
                .to(Sink.forEach(n -> {
                    if (!isHeldUp(n)) {
                        seen.increment();
                    }
                }))
                .run()) {
            var ignored = running.await();
        }
        seen.await(COUNT - heldUp());
    }

    /** Counts the elements that the sink has seen. Thread-safe. */
    private static final class SeenCount {

        private final ReentrantLock lock = new ReentrantLock();
        private final Condition more = lock.newCondition();
        private int count;

        void increment() {
            lock.lock();
            try {
                count++;
                more.signalAll();
            } finally {
                lock.unlock();
            }
        }

        void await(int wanted) throws InterruptedException {
            lock.lock();
            try {
                while (count < wanted) {
                    more.await();
                }
            } finally {
                lock.unlock();
            }
        }
    }

    @Test
    void elementsOfAKey_neverOverlapAndKeepTheirOrder() throws Exception {
        int keys = 50;
        AtomicInteger[] atWork = new AtomicInteger[keys];
        for (int key = 0; key < keys; key++) {
            atWork[key] = new AtomicInteger();
        }
        AtomicInteger overlaps = new AtomicInteger();
        Map<Integer, Integer> last = new HashMap<>();
        AtomicInteger reordered = new AtomicInteger();
        try (RunningPipeline running = Source.range(0, COUNT)
                .mapBlocking(100, Ordering.byHash(n -> n % keys), n -> {
                    if (atWork[n % keys].incrementAndGet() > 1) {
                        overlaps.incrementAndGet();
                    }
                    atWork[n % keys].decrementAndGet();
                    return n;
                })
                .to(Sink.forEach(n -> {
                    Integer before = last.put(n % keys, n);
                    if (before != null && before > n) {
                        reordered.incrementAndGet();
                    }
                }))
                .run()) {
            var ignored = running.await();
        }
        assertThat(overlaps.get()).isZero();
        assertThat(reordered.get()).isZero();
        assertThat(last).hasSize(keys);
    }
}
