package dev.weir.kafka.internal.share;

import dev.weir.kafka.DeadLetters;
import dev.weir.kafka.FailedRecord;
import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.internal.failure.Letters;
import dev.weir.kafka.internal.health.ClientClosing;
import dev.weir.kafka.internal.health.ClientHealth;
import dev.weir.kafka.internal.health.ClientHealth.Found;
import dev.weir.kafka.internal.health.ClientProgress;
import dev.weir.kafka.internal.health.ClientThread;
import dev.weir.kafka.internal.send.ProducerOrigin;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
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
    private final Letters letters;
    private final Supplier<Producer<byte[], byte[]>> producers;
    private final ShareCounters counters;
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong answers = new AtomicLong();

    private final ClientProgress progress;

    /** Of the thread that looks. */
    private final ClientHealth health;

    /**
     * The client that is open; null after an error until the next attempt. Written by the thread of {@link #retries}.
     */
    private volatile @Nullable Producer<byte[], byte[]> producer;

    /** That of the client that is open. */
    private volatile ClientThread clientThread;

    /** The reason why a copy can never be written as its settings demand; the run fails with it. */
    private volatile @Nullable KafkaPipelineException impossible;

    private volatile boolean closing;
    private final ScheduledExecutorService retries = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("weir-share-parking").factory());

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
        this.health = new ClientHealth(false, progress, () -> Set.of(to.topic()));
        this.topic = to.topic();
        this.letters = new Letters(to);
        this.counters = counters;
        this.producers = producers;
        Producer<byte[], byte[]> first = producers.get();
        this.clientThread = ClientThread.of(first);
        this.producer = first;
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
        retries.execute(() -> send(record, parked, 0, then));
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
    private void send(AcquiredRecord record, FailedRecord parked, int tooLarge, Runnable then) {
        if (record.isGone()) {
            return;
        }
        ProducerRecord<byte[], byte[]> copy;
        try {
            copy = letters.propose(parked, tooLarge);
        } catch (KafkaPipelineException tooLargeForItsTopic) {
            impossible = tooLargeForItsTopic;
            return;
        }
        Producer<byte[], byte[]> by = producer;
        try {
            if (by == null) {
                by = producers.get();
                clientThread = ClientThread.of(by);
                producer = by;
                if (closing) {
                    // Whoever closes may have looked before.
                    ClientClosing.begin(by);
                    return;
                }
            }
        } catch (RuntimeException cannotOpen) {
            // The same configuration was good before: names of brokers are not resolved at the moment.
            refused(record, parked, tooLarge, cannotOpen, null, then);
            return;
        }
        Producer<byte[], byte[]> open = by;
        sent.incrementAndGet();
        try {
            var ignored = open.send(copy, (written, refused) -> {
                clientThread.heard();
                answers.incrementAndGet();
                if (refused == null) {
                    counters.parked.increment();
                    record.copied();
                    then.run();
                } else {
                    refused(record, parked, tooLarge, refused, open, then);
                }
            });
        } catch (RuntimeException refused) {
            answers.incrementAndGet();
            refused(record, parked, tooLarge, refused, open, then);
        }
    }

    /** Any thread. */
    private void refused(
            AcquiredRecord record,
            FailedRecord parked,
            int tooLarge,
            Exception refused,
            @Nullable Producer<byte[], byte[]> by,
            Runnable then) {
        boolean cut = refused instanceof RecordTooLargeException && tooLarge < MAX_TOO_LARGE;
        if (!cut && !closing) {
            LOG.warn("{} waits: its copy cannot be written to {}: {}", record.name(), topic, refused.toString());
        }
        try {
            if (by != null && !(refused instanceof TimeoutException || refused instanceof RecordTooLargeException)) {
                retries.execute(() -> leave(by));
            }
            var unused = retries.schedule(
                    () -> send(record, parked, cut ? tooLarge + 1 : tooLarge, then),
                    cut ? 0 : RETRY_SECONDS,
                    TimeUnit.SECONDS);
        } catch (RejectedExecutionException closed) {
            // Nothing is sent any more.
        }
    }

    /**
     * Closes a client, so that the next attempt opens another: after some errors a producer does nothing more, and it
     * does not say after which. What others have on their way in it may still be answered. The thread of {@link
     * #retries}.
     */
    private void leave(Producer<byte[], byte[]> failed) {
        if (producer == failed) {
            producer = null;
            boolean ignored = ClientClosing.close(failed, CLOSE_PATIENCE);
            clientThread = new ClientThread();
        }
    }

    /** What it looks for a stuck producer with. */
    ClientProgress progress() {
        return progress;
    }

    /**
     * What the run fails with, as copies are missing that cannot come; else null. One thread, several times a second.
     */
    @Nullable
    KafkaPipelineException look(long nowNanos) {
        Producer<byte[], byte[]> open = producer;
        long answered = answers.get();
        if (closing || impossible != null || open == null) {
            return closing ? null : impossible;
        }
        Found found = health.look(open, clientThread, answered, Math.max(0, sent.get() - answered), false, nowNanos);
        if (found == Found.STUCK) {
            LOG.warn("{}; another producer takes its place", health.stuck());
            // Each copy that waits fails then, and the next attempt opens another client.
            ClientClosing.begin(open);
            return null;
        }
        return health.failure(found);
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
        Producer<byte[], byte[]> open = producer;
        if (open != null) {
            boolean unusedAnswer = ClientClosing.close(open, isHurried ? Duration.ZERO : CLOSE_PATIENCE);
        }
        if (isHurried) {
            Thread.currentThread().interrupt();
        }
    }
}
