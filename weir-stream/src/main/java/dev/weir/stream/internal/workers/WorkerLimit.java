package dev.weir.stream.internal.workers;

import dev.weir.stream.Parallelism;
import java.util.concurrent.TimeUnit;

/**
 * The number of elements a stage may work on at once, now. Guarded by the lock of its owner, but for {@link #current},
 * which any thread may read. For a fixed parallelism all else but {@link #hold} does nothing.
 */
public final class WorkerLimit {

    /** A sample lasts this long at least, so that one hiccup of the machine does not decide. */
    private static final long SAMPLE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** Longest sample, for very slow work, however little was done. */
    private static final long LONGEST_SAMPLE_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** Elements of a sample for each that may be worked on at once. */
    private static final int ROUNDS = 4;

    private static final int FEWEST = 32;
    private static final double NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Parallelism parallelism;
    private final SlopeSearch search;
    private volatile int current;

    /** True if a user holds it where it is. */
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
     * @param nowNanos the time of the clock by which {@link #worked} is told the time
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

    /** Returns whether it moves by itself. Any thread. */
    public boolean isAdaptive() {
        return parallelism.isAdaptive() && !held;
    }

    /** Holds the limit at {@code n} from now on; an adaptive one does not move any more. */
    public void hold(int n) {
        held = true;
        current = n;
    }

    /**
     * Notes work that is done.
     *
     * @param elements how many elements were done
     * @param nanos the time of a thread, or of a running future, that went into them
     * @param backlog whether the input has to wait
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
            // What was begun under the limit before says nothing of the present one.
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
