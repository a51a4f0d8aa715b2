package dev.weir.kafka.internal.out.transaction;

import dev.weir.kafka.ProducerHandle.Latency;
import dev.weir.kafka.TransactionHandle;
import dev.weir.kafka.internal.meters.LatencyCounts;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** Counts a run's transactions by outcome. Written by the committing thread; read by any thread. */
public final class TransactionCounts implements TransactionHandle {

    final LongAdder committed = new LongAdder();
    final LongAdder aborted = new LongAdder();
    final LongAdder rewound = new LongAdder();
    final LongAdder overlapped = new LongAdder();
    final LongAdder fenced = new LongAdder();

    private final LatencyCounts times = new LatencyCounts();

    void committed(long nanos) {
        times.add(TimeUnit.NANOSECONDS.toMicros(nanos));
        committed.increment();
    }

    private static Duration micros(long micros) {
        return Duration.ofNanos(TimeUnit.MICROSECONDS.toNanos(micros));
    }

    @Override
    public TransactionHandle.Snapshot snapshot() {
        Latency micros = times.snapshot();
        return TransactionHandle.Snapshot.of(
                committed.sum(),
                aborted.sum(),
                rewound.sum(),
                overlapped.sum(),
                fenced.sum(),
                micros(micros.p50()),
                micros(micros.p99()),
                micros(micros.max()));
    }
}
