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
 * A pipeline of five stages that take 5, 10, 20, 25 and 40 % of the processor's time. In a package of its own, as code
 * of a user is: what is in Weir's packages counts as Weir's. The four maps have functions of the same class, so that
 * only the order of their calls tells one from another.
 */
public final class Burners {

    /** Processor time of each stage, in percent. */
    public static final List<Integer> PERCENT = List.of(5, 10, 20, 25, 40);

    private static final int ROUNDS_PER_PERCENT = 1_300;

    /** The number of the last element that has come to the end. */
    public final AtomicLong done = new AtomicLong();

    /** Never has a permit: a wait that ends by time. */
    private final Semaphore never = new Semaphore(0);

    private final int pauseMillis;
    private final int step;
    /** Result of the computation, so that the compiler leaves none of it out. */
    public volatile long kept;

    /**
     * Creates one.
     *
     * @param pauseMillis waited for each element, so that a test which only looks on leaves the processors to others
     */
    public Burners(int pauseMillis) {
        this.pauseMillis = pauseMillis;
        this.step = pauseMillis < 0 ? 2 : 1;
    }

    /** Starts it on the dispatcher; the stages are named {@code burn5} to {@code burn40}. */
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
        // Not a step that the compiler knows: the JVM tells a sample's method by the nearest safepoint, and loops that
        // it can count have none with some collectors.
        for (int i = 0; i < rounds; i += step) {
            // Each round waits for the one before it: the compiler can make none of them cheaper than the others.
            state = state * 6_364_136_223_846_793_005L + 1_442_695_040_888_963_407L;
        }
        kept = state;
        return number;
    }

    /** Elements differ by up to the double: otherwise evenly spaced samples might hit the same stage each time. */
    private static int rounds(long number) {
        return ROUNDS_PER_PERCENT + Math.floorMod((number * 0x9E37_79B9_7F4A_7C15L) >>> 20, ROUNDS_PER_PERCENT);
    }
}
