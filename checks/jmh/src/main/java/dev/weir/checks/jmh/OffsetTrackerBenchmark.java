package dev.weir.checks.jmh;

import dev.weir.kafka.internal.in.offsets.OffsetTracker;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * Measures the cost of acknowledging one of a million outstanding records, in order or in random order, and of
 * advancing the committed offset.
 *
 * <p>Run: {@code java -jar checks/jmh/target/benchmarks.jar OffsetTrackerBenchmark -prof gc}.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Benchmark)
@OperationsPerInvocation(OffsetTrackerBenchmark.COUNT)
public class OffsetTrackerBenchmark {

    static final int COUNT = 1_000_000;

    @Param({"true", "false"})
    public boolean inOrder;

    private final long[] order = new long[COUNT];
    private OffsetTracker tracker = new OffsetTracker(COUNT, () -> {});

    @Setup(Level.Trial)
    public void shuffle() {
        Random random = new Random(1);
        for (int i = 0; i < COUNT; i++) {
            order[i] = i;
            int other = inOrder ? i : random.nextInt(i + 1);
            order[i] = order[other];
            order[other] = i;
        }
    }

    @Setup(Level.Invocation)
    public void fill() {
        tracker = new OffsetTracker(COUNT, () -> {});
        for (int i = 0; i < COUNT; i++) {
            tracker.append(i, 100);
        }
    }

    @Benchmark
    public long ack() {
        for (long token : order) {
            tracker.ack(token);
        }
        return tracker.outstanding();
    }

    @Benchmark
    public int ackAndAdvance() {
        int finished = 0;
        for (int i = 0; i < COUNT; i++) {
            tracker.ack(order[i]);
            if ((i & 511) == 0) {
                finished += tracker.advance();
            }
        }
        return finished + tracker.advance();
    }
}
