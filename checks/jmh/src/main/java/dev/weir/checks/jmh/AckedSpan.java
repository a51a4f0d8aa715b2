package dev.weir.checks.jmh;

import dev.weir.checks.jmh.PairedRounds.Cost;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.jspecify.annotations.Nullable;

/**
 * Counts the acknowledgements of a pass, and measures its cost after the first tenth. Ignores additional
 * acknowledgements. One thread at a time reports acknowledgements, and another waits for the result.
 */
final class AckedSpan {
    private static final long PATIENCE_SECONDS = 120;

    /** A pass has this many equal parts. The first one is not timed. */
    private static final int FIRST_PART = 10;

    private final CountDownLatch done = new CountDownLatch(1);
    private final long first;
    private final long records;
    private long acknowledged;

    // Written before {@code done} is signalled, and read afterwards.
    private @Nullable Cost start;
    private @Nullable Cost end;
    private @Nullable Throwable failure;

    /** @param records the number of records per pass, at least ten */
    AckedSpan(long records) {
        this.records = records;
        this.first = records / FIRST_PART;
    }

    /** Returns the number of timed records. */
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

    /**
     * Counts an acknowledgement, or ends the pass if the record could not be written. A callback for the client's send.
     */
    void told(@Nullable RecordMetadata metadata, @Nullable Exception failed) {
        if (failed == null) {
            acknowledged();
        } else {
            failed(failed);
        }
    }

    /** Ends the pass after a record could not be written. May be called from any thread. */
    void failed(Throwable why) {
        failure = why;
        done.countDown();
    }

    boolean isDone() {
        return done.getCount() == 0;
    }

    /** Waits for the last acknowledgement, and returns the cost of the timed part. */
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
