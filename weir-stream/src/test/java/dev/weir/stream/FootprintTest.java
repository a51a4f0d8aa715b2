package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Measures the heap used by many simultaneous handlers. */
class FootprintTest {

    private static final int HANDLERS = 10_000;
    private static final long MOST_BYTES = 200L << 20;

    @Test
    void tenThousandBlockingHandlers_onVirtualThreads_takeLessThan200Megabytes() throws Exception {
        CountDownLatch inside = new CountDownLatch(HANDLERS);
        CountDownLatch goOn = new CountDownLatch(1);
        long before = usedBytes();
        try (RunningPipeline running = TrackedSource.numbers(HANDLERS, 512)
                .source()
                .mapBlocking(HANDLERS, Ordering.unordered(), n -> {
                    inside.countDown();
                    goOn.await();
                    return n;
                })
                .to(Sink.ignore())
                .run()) {
            inside.await();
            assertThat(usedBytes() - before).isLessThan(MOST_BYTES);
            goOn.countDown();
            running.await();
        }
    }

    private static long usedBytes() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
