package dev.weir.kafka.internal.transaction;

import dev.weir.kafka.TransactionHandle;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

/** Counts the transactions of a run by their outcome. Written by the committing thread; any thread reads. */
public final class TransactionCounts implements TransactionHandle {

    /** Times are counted by microseconds in this many classes per doubling, so a percentile is at most 6 % too high. */
    private static final int PER_DOUBLING = 16;

    private static final int CLASSES = 64 * PER_DOUBLING;

    final LongAdder committed = new LongAdder();
    final LongAdder aborted = new LongAdder();
    final LongAdder rewound = new LongAdder();
    final LongAdder overlapped = new LongAdder();
    final LongAdder fenced = new LongAdder();
    private final AtomicLongArray classes = new AtomicLongArray(CLASSES);
    private final AtomicLong maxMicros = new AtomicLong();

    void committed(long nanos) {
        long micros = Math.max(1, TimeUnit.NANOSECONDS.toMicros(nanos));
        classes.incrementAndGet(classOf(micros));
        maxMicros.accumulateAndGet(micros, Math::max);
        committed.increment();
    }

    static int classOf(long micros) {
        int doublings = 63 - Long.numberOfLeadingZeros(micros);
        int part = doublings < 4
                ? (int) (micros << (4 - doublings)) & (PER_DOUBLING - 1)
                : (int) (micros >>> (doublings - 4)) & (PER_DOUBLING - 1);
        return doublings * PER_DOUBLING + part;
    }

    /** The first value past a class. */
    static long endOf(int index) {
        int doublings = index / PER_DOUBLING;
        long sixteenths = PER_DOUBLING + index % PER_DOUBLING + 1L;
        return doublings < 4 ? Math.ceilDiv(sixteenths, 1L << (4 - doublings)) : sixteenths << (doublings - 4);
    }

    private Duration percentile(double share) {
        long all = 0;
        for (int i = 0; i < CLASSES; i++) {
            all += classes.get(i);
        }
        long wanted = (long) Math.ceil(all * share);
        long seen = 0;
        for (int i = 0; i < CLASSES && wanted > 0; i++) {
            seen += classes.get(i);
            if (seen >= wanted) {
                return micros(Math.min(endOf(i), maxMicros.get()));
            }
        }
        return Duration.ZERO;
    }

    private static Duration micros(long micros) {
        return Duration.ofNanos(TimeUnit.MICROSECONDS.toNanos(micros));
    }

    @Override
    public TransactionHandle.Snapshot snapshot() {
        return TransactionHandle.Snapshot.of(
                committed.sum(),
                aborted.sum(),
                rewound.sum(),
                overlapped.sum(),
                fenced.sum(),
                percentile(0.5),
                percentile(0.99),
                micros(maxMicros.get()));
    }
}
