package dev.weir.kafka.internal.out.write;

import dev.weir.kafka.ProducerHandle;
import dev.weir.kafka.internal.meters.LatencyCounts;
import java.util.function.Supplier;

/**
 * The handle for users of a writing stage. Thread-safe.
 *
 * @param times the times from a record's timestamp to its acknowledgement or commit
 */
public record WriterHandle(LatencyCounts times, Supplier<Snapshot> now) implements ProducerHandle {

    @Override
    public Latency latency() {
        return times.snapshot();
    }

    @Override
    public long[] latencyCounts(long... boundsMillis) {
        return times.upTo(boundsMillis);
    }

    @Override
    public Snapshot snapshot() {
        return now.get();
    }
}
