package dev.weir.kafka.internal.share;

import dev.weir.kafka.DeadLetters;
import dev.weir.kafka.FailedRecord;
import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.internal.failure.DeadLetterWriter;
import dev.weir.kafka.internal.health.ClientProgress;
import dev.weir.kafka.internal.send.ProducerOrigin;
import dev.weir.kafka.internal.send.RefusalSearch;
import dev.weir.kafka.internal.send.RefusalSearch.State;
import dev.weir.kafka.internal.send.ReplaceableProducer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a copy of each record that the group may give up soon, before the pipeline sees it: a process that dies with
 * the last delivery of a record loses nothing then. Thread-safe.
 */
final class ParkedCopies implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ParkedCopies.class);
    private static final long RETRY_SECONDS = 1;
    private static final int MAX_TOO_LARGE = 2;
    private static final long LAST_COPY_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(2);

    private final String topic;
    private final DeadLetterWriter letters;
    private final ReplaceableProducer<byte[], byte[]> producer;
    private final ShareCounters counters;

    private final ClientProgress progress;

    /** The reason why a copy can never be written as its settings demand; the run fails with it. */
    private volatile @Nullable KafkaPipelineException impossible;

    private volatile boolean closing;

    /** Copies that were refused and wait for their turn. */
    private final RefusalSearch<Copy> search = new RefusalSearch<>();

    private final ScheduledExecutorService retries = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("weir-share-parking").factory());

    /** A copy on its way, and what is to be done once the brokers have it. */
    private static final class Copy {

        final AcquiredRecord record;
        final FailedRecord parked;
        final Runnable then;

        /** Refusals for its size. Of the thread of {@link #retries}. */
        int tooLarge;

        Copy(AcquiredRecord record, FailedRecord parked, Runnable then) {
            this.record = record;
            this.parked = parked;
            this.then = then;
        }
    }

    ParkedCopies(DeadLetters to, ShareCounters counters) {
        this(
                to,
                counters,
                () -> ProducerOrigin.open(
                        to.settings().producePath(),
                        to.settings().clientConfig(),
                        to.settings().keySerializer(),
                        to.settings().valueSerializer()),
                ClientProgress.of(to.settings().clientConfig()));
    }

    /**
     * Opens the first producer.
     *
     * @param producers makes one, and another after an error that may have ended it; each is closed here
     * @param progress looks whether one is stuck
     */
    ParkedCopies(
            DeadLetters to,
            ShareCounters counters,
            Supplier<Producer<byte[], byte[]>> producers,
            ClientProgress progress) {
        this.progress = progress;
        this.producer = new ReplaceableProducer<>(producers, false, progress);
        this.topic = to.topic();
        this.letters = new DeadLetterWriter(to);
        this.counters = counters;
        producer.open();
    }

    /**
     * Writes a copy, and runs {@code then} on any thread when the brokers have it. Goes on until then, or it is gone.
     */
    void keep(AcquiredRecord record, Runnable then) {
        FailedRecord parked = new FailedRecord(
                record,
                FailedRecord.Reason.PARKED,
                new KafkaPipelineException("delivery " + record.delivery() + " of " + record.deliveryLimit() + " of "
                        + record.name() + " begins: parked before its handler sees it"),
                0,
                true);
        retries.execute(() -> send(new Copy(record, parked, then)));
    }

    /** Makes copies of what goes back in its last delivery and has none, as far as the brokers take them in time. */
    void keepLast(List<AcquiredRecord> lent) {
        List<AcquiredRecord> missing = lent.stream()
                .filter(record -> record.isLostIfReleased() && record.isUndone())
                .toList();
        // Those that were not offered have a copy on its way.
        missing.stream().filter(AcquiredRecord::isOffered).forEach(record -> keep(record, () -> {}));
        long until = System.nanoTime() + LAST_COPY_NANOS;
        while (missing.stream().anyMatch(AcquiredRecord::isLostIfReleased) && System.nanoTime() - until < 0) {
            LockSupport.parkNanos(this, LOOK_NANOS);
        }
    }

    /** The thread of {@link #retries}. */
    private void send(Copy copy) {
        if (copy.record.isGone()) {
            done(copy);
            return;
        }
        ProducerRecord<byte[], byte[]> proposed;
        try {
            proposed = letters.propose(copy.parked, copy.tooLarge);
        } catch (KafkaPipelineException tooLargeForItsTopic) {
            impossible = tooLargeForItsTopic;
            return;
        }
        int by = 0;
        try {
            by = producer.open();
            int client = by;
            var ignored = producer.send(proposed, (written, refused) -> {
                if (refused == null) {
                    counters.parked.increment();
                    copy.record.copied();
                    copy.then.run();
                    schedule(0, () -> done(copy));
                } else {
                    schedule(0, () -> refused(copy, client, refused));
                }
            });
        } catch (RuntimeException refused) {
            // Or no client opens: the same configuration was good before, names of brokers are not resolved just now.
            int client = by;
            schedule(0, () -> refused(copy, client, refused));
        }
    }

    private void schedule(long seconds, Runnable next) {
        try {
            var ignored = retries.schedule(next, seconds, TimeUnit.SECONDS);
        } catch (RejectedExecutionException closed) {
            // Nothing is sent any more.
        }
    }

    /** The thread of {@link #retries}. */
    private void refused(Copy copy, int client, Exception why) {
        boolean cut = why instanceof RecordTooLargeException && copy.tooLarge < MAX_TOO_LARGE;
        if (cut) {
            copy.tooLarge++;
            send(copy);
            return;
        }
        if (!closing) {
            LOG.warn("{} waits: its copy cannot be written to {}: {}", copy.record.name(), topic, why.toString());
        }
        producer.refused(client, why, CLOSE_PATIENCE);
        boolean wasAlone = search.suspect(copy, why) instanceof State.Alone;
        // A neighbour of the record at fault need not wait: it was refused for the first time.
        sendNextSuspect(wasAlone ? RETRY_SECONDS : 0);
    }

    /** The thread of {@link #retries}. */
    private void done(Copy copy) {
        if (search.forget(copy) instanceof State.Alone) {
            sendNextSuspect(0);
        }
    }

    /**
     * Sends the next one of those that were refused, once the last one is answered: sent together they would be refused
     * together again. The thread of {@link #retries}.
     */
    private void sendNextSuspect(long seconds) {
        Copy next = search.nextAlone();
        if (next == null) {
            return;
        }
        schedule(seconds, () -> send(next));
    }

    /** The check for a stuck producer. */
    ClientProgress progress() {
        return progress;
    }

    /** The failure of a run whose missing copies cannot come; else null. One thread, several times a second. */
    @Nullable
    KafkaPipelineException look(long nowNanos) {
        if (closing || impossible != null) {
            return closing ? null : impossible;
        }
        return producer.look(nowNanos, false, "");
    }

    @Override
    public void close() {
        closing = true;
        var ignored = retries.shutdownNow();
        boolean isHurried = false;
        try {
            var unused = retries.awaitTermination(CLOSE_PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException hurried) {
            isHurried = true;
        }
        producer.close(isHurried ? Duration.ZERO : CLOSE_PATIENCE);
        if (isHurried) {
            Thread.currentThread().interrupt();
        }
    }
}
