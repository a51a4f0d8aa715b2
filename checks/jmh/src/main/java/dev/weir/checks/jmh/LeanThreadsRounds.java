package dev.weir.checks.jmh;

import dev.weir.checks.jmh.PairedRounds.Arm;
import dev.weir.checks.jmh.PairedRounds.Cost;
import dev.weir.lean.LeanSettings;
import dev.weir.lean.LeanThreads;
import dev.weir.lean.RecordHandler;
import dev.weir.lean.StartAt;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Compares reading a topic with one {@code LeanThreads} thread and with two, from one broker on the same machine, in N
 * {@link PairedRounds} (default: 25). The program adds up the first eight bytes of each value. A pass is timed from the
 * first tenth of the topic to the end.
 *
 * <pre>
 *   java -cp checks/jmh/target/benchmarks.jar dev.weir.checks.jmh.LeanFill HOST:PORT TOPIC PARTITIONS RECORDS BYTES
 *   java -cp checks/jmh/target/benchmarks.jar dev.weir.checks.jmh.LeanThreadsRounds \
 *       HOST:PORT TOPIC PARTITIONS RECORDS [N]
 * </pre>
 */
public final class LeanThreadsRounds {
    private static final long PATIENCE_SECONDS = 120;
    private static final int FIRST_PART = 10;

    /** The number of records after which a thread publishes its count. */
    private static final int STEP = 1_024;

    private static final int APART = 16; // array elements between two sums, so that they share no cache line

    private final String bootstrap;
    private final String topic;
    private final long first;
    private final long last;
    private final long[] sums = new long[3 * APART];

    private LeanThreadsRounds(String bootstrap, String topic, long records) {
        this.bootstrap = bootstrap;
        this.topic = topic;
        // Each of the two threads can end with up to STEP - 1 unpublished records.
        this.last = (records - 2 * STEP) / STEP * STEP;
        this.first = last / FIRST_PART / STEP * STEP;
        if (first < 1) {
            throw new IllegalArgumentException("RECORDS must be at least " + (FIRST_PART + 3) * STEP + ": " + records);
        }
    }

    /** Runs the benchmark. The topic must contain RECORDS records. */
    public static void main(String[] args) throws Exception {
        Arguments given = Arguments.ofReader(args, 25);
        LeanThreadsRounds passes = new LeanThreadsRounds(given.bootstrap, given.topic, given.records);
        given.compare(
                passes.last - passes.first,
                new Arm("one thread", unused -> passes.read(1)),
                new Arm("two threads", unused -> passes.read(2)));
        System.err.println("sum " + passes.sums[APART] + passes.sums[2 * APART]);
    }

    private Cost read(int count) throws Exception {
        AtomicReference<Cost> start = new AtomicReference<>();
        AtomicReference<Cost> end = new AtomicReference<>();
        CountDownLatch done = new CountDownLatch(1);
        AtomicLong told = new AtomicLong();
        Runnable step = () -> {
            long all = told.addAndGet(STEP);
            if (all == first) {
                start.set(Cost.now());
            } else if (all == last) {
                end.set(Cost.now());
                done.countDown();
            }
        };
        try (LeanThreads threads = LeanThreads.builder(
                        LeanSettings.builder().bootstrapServers(bootstrap).build())
                .topic(topic, StartAt.beginning())
                .threads(count)
                .records(thread -> new Reading((thread + 1) * APART, step))
                .start()) {
            if (!done.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("read " + told + " of " + last + ": " + threads.metrics());
            }
            return Objects.requireNonNull(end.get()).since(Objects.requireNonNull(start.get()));
        }
    }

    /** A handler of one {@code LeanThreads} thread. */
    private final class Reading implements RecordHandler {
        private final int at;
        private final Runnable step;
        private int untold;

        private Reading(int at, Runnable step) {
            this.at = at;
            this.step = step;
        }

        @Override
        public void onRecord(dev.weir.lean.RecordView record) {
            sums[at] += record.value().getLong(0);
            if (++untold == STEP) {
                untold = 0;
                step.run();
            }
        }
    }
}
