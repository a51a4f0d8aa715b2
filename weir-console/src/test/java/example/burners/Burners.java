package example.burners;

import dev.weir.stream.Attributes;
import dev.weir.stream.Dispatcher;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/**
 * A pipeline of five stages that use 5, 10, 20, 25 and 40 % of the processor time. Its package is outside Weir's, like
 * a user's code. The four maps' functions have the same class, so only the order of calls distinguishes them.
 */
public final class Burners {

    /** Processor time of each stage, in percent. */
    public static final List<Integer> PERCENT = List.of(5, 10, 20, 25, 40);

    private static final int ROUNDS_PER_PERCENT = 1_300;

    /** Number of the last element at the end of the pipeline. */
    public final AtomicLong done = new AtomicLong();

    /** Never has a permit: each wait times out. */
    private final Semaphore never = new Semaphore(0);

    private final int pauseMillis;
    private final int step;
    /** Result of the computation. Keeps the compiler from removing it. */
    public volatile long kept;

    /**
     * Creates a pipeline.
     *
     * @param pauseMillis the wait per element, which leaves processors to other tests
     */
    public Burners(int pauseMillis) {
        this.pauseMillis = pauseMillis;
        this.step = pauseMillis < 0 ? 2 : 1;
    }

    /** Starts the pipeline on the dispatcher. The stages are named {@code burn5} to {@code burn40}. */
    public RunningPipeline run(Dispatcher dispatcher) {
        return Source.range(0, Long.MAX_VALUE)
                .map(burner(5))
                .named("burn5")
                .map(burner(10))
                .named("burn10")
                .map(burner(20))
                .named("burn20")
                .map(burner(25))
                .named("burn25")
                .to(Sink.forEach(this::last).named("burn40").with(Attributes.NONE.withDispatcher(dispatcher)))
                .run();
    }

    private void last(Long number) {
        Long burnt = burn(40, number);
        try {
            boolean ignored = pauseMillis > 0 && never.tryAcquire(pauseMillis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        done.accumulateAndGet(burnt, Math::max);
    }

    private Function<Long, Long> burner(int percent) {
        return number -> burn(percent, number);
    }

    private Long burn(int percent, Long number) {
        long state = number;
        int rounds = percent * rounds(number);
        // The compiler must not know the step: some collectors have no safepoints in counted loops, and the JVM
        // attributes a sample to the nearest safepoint.
        for (int i = 0; i < rounds; i += step) {
            // Each round depends on the previous one, so the compiler cannot shorten the loop.
            state = state * 6_364_136_223_846_793_005L + 1_442_695_040_888_963_407L;
        }
        kept = state;
        return number;
    }

    /** The work per element varies by a factor of two. Otherwise, evenly spaced samples might hit the same stage. */
    private static int rounds(long number) {
        return ROUNDS_PER_PERCENT + Math.floorMod((number * 0x9E37_79B9_7F4A_7C15L) >>> 20, ROUNDS_PER_PERCENT);
    }
}
