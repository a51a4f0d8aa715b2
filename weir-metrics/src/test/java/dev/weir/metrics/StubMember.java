package dev.weir.metrics;

import dev.weir.kafka.ConsumerHealth;
import dev.weir.kafka.ShareHandle;

/** A member of a share group with a different number for each of its counts. */
final class StubMember implements ShareHandle {

    volatile long lag = 50;
    volatile ConsumerHealth health = ConsumerHealth.of(true, true, true, "", null);

    @Override
    public ConsumerHealth health() {
        return health;
    }

    @Override
    public Snapshot snapshot() {
        return Snapshot.of(
                100,
                9,
                8,
                7,
                6,
                5,
                4,
                1,
                2,
                12,
                0,
                0,
                lag,
                3,
                16,
                "record_limit",
                16,
                Limit.of("arrival", "records", "all is done", "nothing", 1));
    }
}
