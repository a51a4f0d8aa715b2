package dev.weir.metrics;

import dev.weir.kafka.ConsumerHealth;
import dev.weir.kafka.ShareHandle;

/** A share group's member. Each of its counts is different. */
final class StubMember implements ShareHandle {

    volatile long lag = 50;
    volatile ConsumerHealth health = ConsumerHealth.of(true, true, true, "", null);

    @Override
    public ConsumerHealth health() {
        return health;
    }

    @Override
    public Snapshot snapshot() {
        return Snapshot.builder()
                .accepted(100)
                .released(9)
                .rejected(8)
                .renewed(7)
                .redelivered(6)
                .lockExpired(5)
                .failedAcknowledgements(4)
                .neverBegun(1)
                .parked(2)
                .emptiedAnswers(12)
                .lag(lag)
                .lanes(3)
                .pollRecords(16)
                .acquireMode("record_limit")
                .workers(16)
                .limit(Limit.of("arrival", "records", "all is done", "nothing", 1))
                .build();
    }
}
