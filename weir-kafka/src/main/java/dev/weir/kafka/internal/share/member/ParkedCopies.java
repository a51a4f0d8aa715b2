package dev.weir.kafka.internal.share.member;

import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.deadletter.DeadLetterTopic;
import dev.weir.kafka.deadletter.FailedRecord;
import dev.weir.kafka.internal.handler.DeadLetterWriter;
import dev.weir.kafka.internal.handler.PatientWriter;
import dev.weir.kafka.internal.in.lookup.KafkaSurroundings;
import dev.weir.kafka.internal.out.client.ClientProgress;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Thrown;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;

/**
 * Copies records that are in one of their last two deliveries, before the pipeline sees them. A crash during the last
 * delivery then does not lose the record. Thread-safe.
 */
final class ParkedCopies implements AutoCloseable {

    private static final Duration LAST_COPY = Duration.ofSeconds(5);
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(2);

    private final PatientWriter writer;
    private final ShareCounters counters;
    private final long lastCopyNanos;
    private final Thread thread;

    /**
     * A failure that makes it impossible to write a copy and ends the run, or null. For example, a record is too large
     * for the dead-letter topic and must not be truncated.
     */
    private volatile @Nullable Throwable impossible;

    private volatile boolean closing;

    private final Set<AcquiredRecord> pending = ConcurrentHashMap.newKeySet();

    private final class Copy extends PatientWriter.PendingRecord {

        private final AcquiredRecord record;
        private final Runnable then;

        Copy(FailedRecord parked, AcquiredRecord record, Runnable then) {
            super(parked);
            this.record = record;
            this.then = then;
        }

        @Override
        protected boolean isGone() {
            return record.isGone();
        }

        @Override
        protected void written(ProducerRecord<byte[], byte[]> proposed) {
            counters.parked.increment();
            record.copied();
            then.run();
        }

        @Override
        protected void done() {
            pending.remove(record);
        }
    }

    ParkedCopies(DeadLetterTopic to, ShareCounters counters) {
        this(
                PatientWriter.of("share group " + to.group(), to.settings(), new DeadLetterWriter(to), Clock.SYSTEM),
                counters,
                LAST_COPY);
    }

    /**
     * Opens the first client, and starts the thread that writes.
     *
     * @param writer the writer, which {@link #close} closes
     * @param lastCopy the longest wait of {@link #keepLast}
     */
    ParkedCopies(PatientWriter writer, ShareCounters counters, Duration lastCopy) {
        this.writer = writer;
        this.counters = counters;
        this.lastCopyNanos = lastCopy.toNanos();
        writer.open();
        thread = Thread.ofPlatform().daemon().name("weir-share-parking").start(this::write);
    }

    private void write() {
        while (!closing) {
            try {
                writer.run();
            } catch (InterruptedException | InterruptException closed) {
                return;
            } catch (Throwable failure) {
                // Continue, to save as many records as possible before the run ends. Allocate nothing here: memory may
                // have run out.
                impossible = failure;
            }
        }
    }

    /**
     * Writes a copy and runs {@code then} on any thread once the brokers have it. Retries unless the record is released
     * or lost.
     */
    void keep(AcquiredRecord record, Runnable then) {
        FailedRecord parked = new FailedRecord(
                record,
                FailedRecord.Reason.PARKED,
                new KafkaPipelineException("delivery " + record.delivery() + " of " + record.deliveryLimit() + " of "
                        + record.name() + " begins: parked before its handler sees it"),
                0,
                true);
        pending.add(record);
        writer.add(new Copy(parked, record, then));
    }

    /**
     * Copies unfinished records in their last delivery before they are released. Waits up to 5 s for the brokers, even
     * if interrupted.
     */
    void keepLast(List<AcquiredRecord> acquired) {
        List<AcquiredRecord> missing =
                acquired.stream().filter(ParkedCopies::isMissing).toList();
        missing.stream().filter(record -> !pending.contains(record)).forEach(record -> keep(record, () -> {}));
        long until = System.nanoTime() + lastCopyNanos;
        while (missing.stream().anyMatch(record -> pending.contains(record) && isMissing(record))
                && System.nanoTime() - until < 0) {
            KafkaSurroundings.INSTANCE.park(LOOK_NANOS);
        }
    }

    private static boolean isMissing(AcquiredRecord record) {
        return record.isLostIfReleased() && record.isUndone() && !record.isGone();
    }

    ClientProgress progress() {
        return writer.progress();
    }

    /** Returns the failure that ends the run, or null. Called by one thread, several times per second. */
    @Nullable
    KafkaPipelineException look(long nowNanos) {
        Throwable failure = impossible;
        if (closing || failure == null) {
            return closing ? null : writer.look(nowNanos);
        }
        return failure instanceof KafkaPipelineException known
                ? known
                : new KafkaPipelineException(Thrown.text(failure), failure);
    }

    @Override
    public void close() {
        closing = true;
        thread.interrupt();
        boolean isHurried = false;
        try {
            boolean ignored = thread.join(CLOSE_PATIENCE);
        } catch (InterruptedException hurried) {
            isHurried = true;
        }
        writer.close(isHurried ? Duration.ZERO : CLOSE_PATIENCE);
        if (isHurried) {
            Thread.currentThread().interrupt();
        }
    }
}
