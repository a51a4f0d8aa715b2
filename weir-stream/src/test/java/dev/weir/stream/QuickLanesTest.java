package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * While handlers are quick, a lane takes on several elements in one hold of the lock. A handler that blocks after all
 * must neither hold up those that its lane has taken with it nor keep the results of those before it.
 */
class QuickLanesTest {

    private static final int COUNT = 200_000;

    /** Some of these are in the middle of a run, whatever its length. */
    private static boolean isHeldUp(int n) {
        return n > COUNT / 2 && n % 10_007 == 0;
    }

    private static int heldUp() {
        int count = 0;
        for (int n = 0; n < COUNT; n++) {
            count += isHeldUp(n) ? 1 : 0;
        }
        return count;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void handlers_thatBlockUntilAllOthersAreDone_holdUpNobody(boolean keyed) throws Exception {
        CountDownLatch othersDone = new CountDownLatch(COUNT - heldUp());
        Ordering<Integer> ordering = keyed ? Ordering.byHash(n -> n) : Ordering.unordered();
        long done = Source.range(0, COUNT)
                .mapBlocking(100, ordering, n -> {
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
        AtomicInteger seen = new AtomicInteger();
        try (RunningPipeline running = Source.range(0, COUNT)
                .mapBlocking(100, Ordering.unordered(), n -> {
                    if (isHeldUp(n)) {
                        int before = handled.get();
                        while (seen.get() < before) {
                            Thread.yield();
                        }
                    } else {
                        handled.incrementAndGet();
                    }
                    return n;
                })
                .to(Sink.forEach(n -> {
                    if (!isHeldUp(n)) {
                        seen.incrementAndGet();
                    }
                }))
                .run()) {
            var ignored = running.await();
        }
        assertThat(seen.get()).isEqualTo(COUNT - heldUp());
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
