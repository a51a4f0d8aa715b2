package dev.weir.checks.jmh;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongSupplier;
import org.apache.kafka.common.TopicPartition;

/**
 * Compares the parser of {@link LeanParserBenchmark} with {@link BareLoop} and the official client's classes. Measures
 * the thread's CPU time, which other work on the machine affects little. The contenders take turns, and the minimum of
 * many rounds counts. Includes checksums, but no compression.
 *
 * <p>Run: {@code java -cp checks/jmh/target/benchmarks.jar dev.weir.checks.jmh.LeanWalk 23 100 100+16}
 */
public final class LeanWalk {

    private static final int ROUNDS = 60;
    private static final int WARM_UP = 20;
    private static final int PASSES = 20;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private LeanWalk() {}

    /** Takes sizes in bytes, of values or of values and keys: {@code 23 23+16}. */
    public static void main(String[] args) {
        for (String size : args) {
            LeanParserBenchmark parser = new LeanParserBenchmark();
            String[] parts = size.split("\\+", -1);
            parser.valueBytes = Integer.parseInt(parts[0]);
            parser.keyBytes = parts.length > 1 ? Integer.parseInt(parts[1]) : 0;
            parser.write();
            BareLoop loop = new BareLoop("localhost:9092", Map.of(new TopicPartition("t", 0), 0L));
            List<LongSupplier> all =
                    List.of(() -> parser.bare(loop), parser::weir, parser::weirHandler, parser::client);
            double[] least = new double[all.size()];
            Arrays.fill(least, Double.MAX_VALUE);
            for (int round = 0; round < ROUNDS; round++) {
                for (int i = 0; i < least.length; i++) {
                    double nanos = nanosPerRecord(all.get(i));
                    least[i] = round < WARM_UP ? least[i] : Math.min(least[i], nanos);
                }
            }
            System.out.printf(
                    Locale.ROOT,
                    "%s bytes, ns of CPU per record: bare %.2f, lean %.2f, with a handler %.2f, client %.2f%n",
                    size,
                    least[0],
                    least[1],
                    least[2],
                    least[3]);
        }
    }

    private static double nanosPerRecord(LongSupplier pass) {
        long start = THREADS.getCurrentThreadCpuTime();
        long sum = 0;
        for (int i = 0; i < PASSES; i++) {
            sum += pass.getAsLong();
        }
        if (sum == 0) {
            throw new IllegalStateException("nothing was read");
        }
        return (THREADS.getCurrentThreadCpuTime() - start) / ((double) PASSES * LeanParserBenchmark.RECORDS);
    }
}
