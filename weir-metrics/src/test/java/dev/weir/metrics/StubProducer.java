package dev.weir.metrics;

import dev.weir.kafka.ProducerHandle;
import java.util.Arrays;

/** A producer with three records, acknowledged after 3, 40 and 700 ms. */
final class StubProducer implements ProducerHandle {

    private static final long[] MILLIS = {3, 40, 700};

    @Override
    public Latency latency() {
        return Latency.of(MILLIS.length, 40, 700, 700);
    }

    @Override
    public long[] latencyCounts(long... boundsMillis) {
        return Arrays.stream(boundsMillis)
                .map(bound ->
                        Arrays.stream(MILLIS).filter(each -> each <= bound).count())
                .toArray();
    }

    @Override
    public Snapshot snapshot() {
        return Snapshot.of("out", 7, 100, 60, 2_500_000_000L, 5, 250);
    }
}
