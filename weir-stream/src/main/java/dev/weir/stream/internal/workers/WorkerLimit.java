package dev.weir.stream.internal.workers;

import dev.weir.stream.Parallelism;
import java.util.concurrent.TimeUnit;

/**
 * Current parallelism of a stage. A fixed parallelism changes only by {@link #hold}. Guarded by the stage's lock,
 * except for {@link #current} and {@link #isAdaptive}, which may be called from any thread.
 */
public final class WorkerLimit {

    /** Minimum duration of a sample, long enough to limit the effect of a hiccup of the machine. */
    private static final long SAMPLE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** Maximum duration of a sample, even if few elements finish in this time. */
    private static final long LONGEST_SAMPLE_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** Number of elements in a sample per unit of parallelism. */
    private static final int ROUNDS = 4;

    private static final int FEWEST = 32;
    private static final double NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Parallelism parallelism;
    private final SlopeSearch search;
    private volatile int current;

    /** True if a user has fixed the limit. */
    private volatile boolean held;

    private long sinceNanos;
    private boolean settling = true;
    private long done;
    private long busyNanos;
    private int samples;
    private int samplesWithBacklog;

    /**
     * Creates a limit.
     *
     * @param nowNanos the current time of the clock that {@link #worked} uses
     */
    public WorkerLimit(Parallelism parallelism, long nowNanos) {
        this.parallelism = parallelism;
        this.search = new SlopeSearch(parallelism, Runtime.getRuntime().availableProcessors());
        this.current = search.limit();
        this.sinceNanos = nowNanos;
    }

    public int current() {
        return current;
    }

    public int max() {
        return parallelism.max();
    }

    public boolean isAdaptive() {
        return parallelism.isAdaptive() && !held;
    }

    /** Fixes the limit at {@code n}; an adaptive limit stops adapting. */
    public void hold(int n) {
        held = true;
        current = n;
    }

    /**
     * Adds finished work to the current sample.
     *
     * @param elements number of finished elements
     * @param nanos total processing time of these elements, measured as thread time or as the running time of futures
     * @param backlog whether the input waits for room
     */
    public void worked(int elements, long nanos, boolean backlog, long nowNanos) {
        if (!isAdaptive()) {
            return;
        }
        done += elements;
        busyNanos += nanos;
        samples++;
        if (backlog) {
            samplesWithBacklog++;
        }
        long elapsed = nowNanos - sinceNanos;
        if (settling) {
            // Skip work that was started under the previous limit.
            if (done >= current || elapsed >= LONGEST_SAMPLE_NANOS) {
                settling = false;
                begin(nowNanos);
            }
        } else if (elapsed >= SAMPLE_NANOS
                && (done >= Math.max(FEWEST, (long) current * ROUNDS) || elapsed >= LONGEST_SAMPLE_NANOS)) {
            search.sample(done * NANOS / elapsed, busyNanos / NANOS / done, samplesWithBacklog * 2 > samples);
            settling = search.limit() != current;
            current = search.limit();
            begin(nowNanos);
        }
    }

    private void begin(long nowNanos) {
        sinceNanos = nowNanos;
        done = 0;
        busyNanos = 0;
        samples = 0;
        samplesWithBacklog = 0;
    }
}
