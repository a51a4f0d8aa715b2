package dev.weir.driver;

import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.LongStream;

/**
 * Decides which handler calls fail, according to the workload. Thread-safe. The number of failures of a record depends
 * on its partition and number, so it is the same for each library.
 */
public final class Failures {
    /** The fraction of handler calls that fail. */
    public static final String SHARE = "work.failures";

    /** The time that a library waits before it calls a failed handler again, in milliseconds. */
    public static final String RETRY_MILLIS = "work.retryMillis";

    /** Largest number of failures for one record. */
    public static final int MOST = 10;

    private static final int NUMBER_BITS = 40;

    private final double share;
    private final Map<Long, Integer> failed = new ConcurrentHashMap<>(); // failures by record, until it succeeds
    private final LongAdder count = new LongAdder();

    Failures(double share) {
        this.share = share;
    }

    static Failures of(Map<String, String> options) {
        return new Failures(Double.parseDouble(options.getOrDefault(SHARE, "0")));
    }

    /** Reports that the handler of a record has done its work. Throws if a failure is planned. */
    void attempt(int partition, long number) {
        if (share == 0) {
            return;
        }
        int most = of(share, partition, number);
        if (most == 0) {
            return;
        }
        long record = record(partition, number);
        int before = failed.getOrDefault(record, 0); // no other thread handles the record
        if (before < most) {
            failed.put(record, before + 1);
            count.increment();
            throw new HandlerFailure();
        }
        failed.remove(record);
    }

    /** Returns the numbers of a partition's records whose handler must be called again. */
    LongStream waiting(int partition) {
        return failed.keySet().stream()
                .mapToLong(record -> record)
                .filter(record -> record >>> NUMBER_BITS == partition)
                .map(record -> record & ((1L << NUMBER_BITS) - 1));
    }

    long count() {
        return count.sum();
    }

    /**
     * Returns the number of times that the handler of a record fails, given the fraction of handler calls that fail.
     */
    public static int of(double share, int partition, long number) {
        SplittableRandom random = new SplittableRandom(record(partition, number));
        int failures = 0;
        while (failures < MOST && random.nextDouble() < share) {
            failures++;
        }
        return failures;
    }

    /**
     * Returns the expected number of handler calls per record, including the successful call, given the fraction of
     * handler calls that fail.
     */
    public static double meanCalls(double share) {
        double calls = 1;
        double failing = 1;
        for (int failures = 1; failures <= MOST; failures++) {
            failing *= share;
            calls += failing;
        }
        return calls;
    }

    /**
     * Returns the total number of failures before the handlers of all records succeed, given the fraction of handler
     * calls that fail.
     */
    public static long inAll(double share, int partitions, long recordsPerPartition) {
        long sum = 0;
        for (int partition = 0; partition < partitions; partition++) {
            for (long number = 0; number < recordsPerPartition; number++) {
                sum += of(share, partition, number);
            }
        }
        return sum;
    }

    private static long record(int partition, long number) {
        return ((long) partition << NUMBER_BITS) | number;
    }
}
