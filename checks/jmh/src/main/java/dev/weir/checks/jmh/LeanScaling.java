package dev.weir.checks.jmh;

import com.sun.management.ThreadMXBean;
import dev.weir.lean.LeanMetrics;
import dev.weir.lean.LeanSettings;
import dev.weir.lean.LeanThreads;
import dev.weir.lean.RecordHandler;
import dev.weir.lean.StartAt;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.kafka.common.record.internal.CompressionType;

/**
 * Compares reading with one {@code LeanThreads} thread and with two, in alternating rounds. The threads read from
 * {@link StandInBrokers}, one broker per thread, and add up the first eight bytes of each value. Prints the records per
 * second of wall-clock time, the records per second of the threads' processor time, and the threads' idle share. The
 * processor time shows the costs of caches and memory, but no waits. The first round is not counted.
 *
 * <p>Run: {@code java -cp checks/jmh/target/benchmarks.jar dev.weir.checks.jmh.LeanScaling [none|lz4|zstd|...] [ROUNDS]
 * [SECONDS] [VALUE_BYTES]}. Brokers and threads share the machine, so the wall-clock rate scales only with enough cores
 * for all, or with well-compressed records.
 */
public final class LeanScaling {
    private static final int PARTITIONS = 6;
    private static final int MAX_VALUE_BYTES = 1_000;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private LeanScaling() {}

    /** Takes the codec, the number of counted rounds, the seconds per round, and the bytes per value. */
    public static void main(String[] args) throws Exception {
        CompressionType codec = CompressionType.forName(args.length > 0 ? args[0] : "none");
        int rounds = args.length > 1 ? Integer.parseInt(args[1]) : 5;
        long seconds = args.length > 2 ? Long.parseLong(args[2]) : 5;
        int valueBytes = args.length > 3 ? Integer.parseInt(args[3]) : 100;
        if (rounds < 1 || seconds < 1 || valueBytes < Long.BYTES || valueBytes > MAX_VALUE_BYTES) {
            throw new IllegalArgumentException(
                    "ROUNDS and SECONDS at least 1, VALUE_BYTES from 8 to " + MAX_VALUE_BYTES);
        }
        double[] byClock = new double[rounds];
        double[] byProcessor = new double[rounds];
        System.out.println(
                "| round | threads | million/s by the clock | million/s by processor time | idle |\n|--:|--:|--:|--:|--:|");
        for (int round = -1; round < rounds; round++) {
            Rate one = measure(1, codec, valueBytes, seconds);
            Rate two = measure(2, codec, valueBytes, seconds);
            if (round >= 0) {
                print(round, 1, one);
                print(round, 2, two);
                byClock[round] = two.byClock() / one.byClock();
                byProcessor[round] = two.byProcessor() / one.byProcessor();
            }
        }
        System.out.printf(
                Locale.ROOT,
                "%s, %d B: two threads are %.2f times one by the clock, %.2f by processor time (medians of %d)%n",
                codec.name,
                valueBytes,
                median(byClock),
                median(byProcessor),
                rounds);
    }

    private static void print(int round, int threads, Rate rate) {
        System.out.printf(
                Locale.ROOT,
                "| %d | %d | %.1f | %.1f | %.0f %% |%n",
                round,
                threads,
                rate.byClock() / 1e6,
                rate.byProcessor() / 1e6,
                100 * rate.idle());
    }

    private static double median(double[] values) {
        Arrays.sort(values);
        return values[values.length / 2];
    }

    /** Records per second of wall-clock time and of processor time, and the idle share of the threads. */
    private record Rate(double byClock, double byProcessor, double idle) {}

    /** The time, and each thread's record count and processor time. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Look(long nanos, long[] records, long[] cpuNanos) {}

    private static Rate measure(int count, CompressionType codec, int valueBytes, long seconds)
            throws IOException, InterruptedException {
        long[] sums = new long[count * 16]; // 16 elements apart, so no two threads share a cache line
        try (StandInBrokers brokers = new StandInBrokers(count, PARTITIONS, codec, valueBytes);
                LeanThreads threads = LeanThreads.builder(LeanSettings.builder()
                                .bootstrapServers(brokers.address())
                                .build())
                        .topic(StandInBrokers.TOPIC, StartAt.beginning())
                        .threads(count)
                        .records(thread -> adding(sums, thread * 16))
                        .start()) {
            Thread.sleep(1_000 + 250 * seconds); // time for JIT compilation and the assignment of partitions
            Look from = look(threads);
            Thread.sleep(1_000 * seconds);
            Look to = look(threads);
            if (LongStream.of(sums).sum() == 0) {
                throw new IllegalStateException("nothing was read");
            }
            double nanos = to.nanos() - from.nanos();
            double records = 0;
            double byProcessor = 0;
            double busyNanos = 0;
            for (int thread = 0; thread < count; thread++) {
                double read = to.records()[thread] - from.records()[thread];
                records += read;
                double cpuNanos = to.cpuNanos()[thread] - from.cpuNanos()[thread];
                byProcessor += read / cpuNanos * 1e9;
                busyNanos += cpuNanos;
            }
            return new Rate(records / nanos * 1e9, byProcessor, 1 - busyNanos / (nanos * count));
        }
    }

    private static RecordHandler adding(long[] sums, int at) {
        return record -> sums[at] += record.value().getLong(0);
    }

    private static Look look(LeanThreads threads) {
        List<LeanMetrics> metrics = threads.metrics();
        return new Look(
                System.nanoTime(),
                metrics.stream().mapToLong(LeanMetrics::records).toArray(),
                IntStream.range(0, metrics.size())
                        .mapToLong(LeanScaling::cpuNanos)
                        .toArray());
    }

    private static long cpuNanos(int thread) {
        for (ThreadInfo info : THREADS.getThreadInfo(THREADS.getAllThreadIds())) {
            if (info != null && info.getThreadName().equals("weir-lean-" + thread)) {
                return THREADS.getThreadCpuTime(info.getThreadId());
            }
        }
        throw new IllegalStateException("thread " + thread + " has ended");
    }
}
