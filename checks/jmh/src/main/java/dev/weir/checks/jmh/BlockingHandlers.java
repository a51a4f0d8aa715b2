package dev.weir.checks.jmh;

import dev.weir.stream.Ordering;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import java.lang.management.ManagementFactory;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Measures the heap for 10,000 handlers that block at the same time on virtual threads: unordered, in input order, and
 * ordered by key.
 *
 * <p>Run: {@code java -Xmx200m -cp checks/jmh/target/benchmarks.jar dev.weir.checks.jmh.BlockingHandlers}. If this heap
 * is too small, the program fails with an OutOfMemoryError. While all handlers block, each with 20 stack frames, it
 * prints the live heap after a garbage collection.
 */
public final class BlockingHandlers {

    private static final int HANDLERS = 10_000;
    private static final int STACK_DEPTH = 20;

    private BlockingHandlers() {}

    /** Measures and prints. */
    public static void main(String[] args) throws InterruptedException {
        measure("in no order", Ordering.unordered());
        measure("in the order of the input", Ordering.input());
        measure("by key", Ordering.byKey(n -> n));
    }

    private static void measure(String how, Ordering<Integer> ordering) throws InterruptedException {
        CountDownLatch blocked = new CountDownLatch(HANDLERS);
        CountDownLatch gate = new CountDownLatch(1);
        try (RunningPipeline running = Source.range(0, 2 * HANDLERS)
                .mapBlocking(HANDLERS, ordering, n -> block(n, STACK_DEPTH, blocked, gate))
                .to(Sink.ignore())
                .run()) {
            if (!blocked.await(60, TimeUnit.SECONDS)) {
                throw new IllegalStateException("not all handlers run at once: missing=" + blocked.getCount());
            }
            System.gc();
            long usedBytes =
                    ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
            System.out.printf(
                    Locale.ROOT,
                    "%,d blocking handlers %s: %.1f MB of heap in use, of at most %,d MB%n",
                    HANDLERS,
                    how,
                    usedBytes / 1e6,
                    Runtime.getRuntime().maxMemory() / 1_000_000);
            gate.countDown();
            var ignored = running.await();
        }
    }

    private static Integer block(Integer n, int depth, CountDownLatch blocked, CountDownLatch gate)
            throws InterruptedException {
        if (depth > 0) {
            return block(n, depth - 1, blocked, gate);
        }
        blocked.countDown();
        gate.await();
        return n;
    }
}
