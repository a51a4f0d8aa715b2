package dev.weir.checks.jmh;

import dev.weir.checks.jmh.PairedRounds.Cost;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.jspecify.annotations.Nullable;

/**
 * Counts and times the acknowledgements of a pass: from the last record of its first tenth, which covers all start-up,
 * to its last record. One thread at a time reports, another awaits; anything after the last record does not count.
 */
final class AckedSpan {
    private static final long PATIENCE_SECONDS = 120;

    /** The part of a pass that does not count. */
    private static final int FIRST_PART = 10;

    private final CountDownLatch done = new CountDownLatch(1);
    private final long first;
    private final long records;
    private long acknowledged;

    // Written before done, read after it.
    private @Nullable Cost start;
    private @Nullable Cost end;
    private @Nullable Throwable failure;

    /** @param records of a pass, ten at least */
    AckedSpan(long records) {
        this.records = records;
        this.first = records / FIRST_PART;
    }

    /** Returns the number of counted ones among so many records. */
    static long counted(long records) {
        return records - records / FIRST_PART;
    }

    void acknowledged() {
        acknowledged++;
        if (acknowledged == first) {
            start = Cost.now();
        } else if (acknowledged == records) {
            end = Cost.now();
            done.countDown();
        }
    }

    /** As a callback of the client. */
    void told(@Nullable RecordMetadata metadata, @Nullable Exception failed) {
        if (failed == null) {
            acknowledged();
        } else {
            failed(failed);
        }
    }

    /** The pass is over: a record was not taken. Any thread. */
    void failed(Throwable why) {
        failure = why;
        done.countDown();
    }

    boolean isDone() {
        return done.getCount() == 0;
    }

    /** Waits for the last one. */
    Cost cost() throws InterruptedException {
        if (!done.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException("not all records were acknowledged");
        }
        if (failure != null) {
            throw new IllegalStateException("a record was refused", failure);
        }
        return Objects.requireNonNull(end).since(Objects.requireNonNull(start));
    }
}
