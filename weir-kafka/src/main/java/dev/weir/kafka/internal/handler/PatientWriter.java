package dev.weir.kafka.internal.handler;

import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.deadletter.FailedRecord;
import dev.weir.kafka.internal.out.client.ClientProgress;
import dev.weir.kafka.internal.out.client.ProducerOrigin;
import dev.weir.kafka.internal.out.client.RefusalSearch;
import dev.weir.kafka.internal.out.client.RefusalSearch.State;
import dev.weir.kafka.internal.out.client.ReplaceableProducer;
import dev.weir.stream.Backoff;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes failed records to the topics that their {@link FailureRoute} chooses, and retries until the brokers accept
 * them. Confined to the one thread that calls {@link #writeAll} or {@link #run}, except where noted.
 *
 * <p>A record that is too large is sent again in a smaller form. Other rejected records are sent again one at a time.
 */
public final class PatientWriter {

    private static final Logger LOG = LoggerFactory.getLogger(PatientWriter.class);

    private static final Backoff BACKOFF = Backoff.between(Duration.ofSeconds(1), Duration.ofSeconds(30));

    /** Maximum number of smaller forms of a record. */
    private static final int MAX_TOO_LARGE = 3;

    /**
     * Batch size of the client. It must be below the topic's limit: the client would keep splitting a larger batch
     * forever.
     */
    private static final int BATCH_BYTES = 16 * 1024;

    /** Maximum wait for the acknowledgements of a client that is being replaced. */
    private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(2);

    /** A failed record to write. */
    public abstract static class PendingRecord {

        final FailedRecord failed;

        // Confined to the writer's thread.
        private int tooLarge;
        private int refusals;

        protected PendingRecord(FailedRecord failed) {
            this.failed = failed;
        }

        protected boolean isGone() {
            return false;
        }

        /**
         * Reports that the brokers have acknowledged the record. Called on the client's thread, which must not be
         * blocked.
         */
        protected abstract void written(ProducerRecord<byte[], byte[]> proposed);

        /**
         * Reports that the writer no longer handles the record, whether or not it was written. Called on the writer's
         * thread.
         */
        protected void done() {}
    }

    private final String owner;
    private final FailureRoute route;
    private final Clock clock;
    private final ReplaceableProducer<byte[], byte[]> producer;
    private final ClientProgress progress;
    private final RefusalSearch<PendingRecord> search = new RefusalSearch<>();
    private final AtomicInteger inHand = new AtomicInteger();

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /** Records to send and responses to process, in order. Guarded by the lock. */
    private final Queue<Runnable> steps = new ArrayDeque<>();

    /** Time at which the next rejected record may be sent; {@link Stage#NEVER} if there is no pause. */
    private long resumeNanos = Stage.NEVER;

    /**
     * Creates a writer that has no client yet.
     *
     * @param owner the name of the stage that uses the writer, for log lines
     * @param clients creates the first client, and a replacement if the client may be unusable; the writer closes each
     *     of them
     * @param progress detects a stuck client
     */
    public PatientWriter(
            String owner,
            FailureRoute route,
            Clock clock,
            Supplier<Producer<byte[], byte[]>> clients,
            ClientProgress progress) {
        this.owner = owner;
        this.route = route;
        this.clock = clock;
        this.producer = new ReplaceableProducer<>(clients, false, progress);
        this.progress = progress;
    }

    /** Creates a writer whose clients use small batches and do not linger. */
    public static PatientWriter of(
            String owner, ProducerSettings<byte[], byte[]> settings, FailureRoute route, Clock clock) {
        Map<String, Object> config = new HashMap<>(settings.clientConfig());
        config.put(ProducerConfig.BATCH_SIZE_CONFIG, BATCH_BYTES);
        config.put(ProducerConfig.LINGER_MS_CONFIG, 0);
        return new PatientWriter(
                owner,
                route,
                clock,
                () -> ProducerOrigin.open(
                        settings.produce(), config, settings.keySerializer(), settings.valueSerializer()),
                ClientProgress.of(config));
    }

    /**
     * Opens the first client before there is a record.
     *
     * @throws org.apache.kafka.common.KafkaException if the client cannot be opened
     */
    public void open() {
        var ignored = producer.open();
    }

    /** Returns the check for a stuck client. May be called from any thread. */
    public ClientProgress progress() {
        return progress;
    }

    /** Returns the number of records that are not written yet. May be called from any thread. */
    int inHand() {
        return inHand.get();
    }

    /** Returns the number of rejected records that are not written yet. May be called from any thread. */
    int held() {
        return search.size();
    }

    /**
     * Writes records and waits until the brokers have acknowledged them.
     *
     * @throws KafkaPipelineException if the route has no proposal for a record
     */
    void writeAll(List<? extends PendingRecord> records) throws InterruptedException {
        for (PendingRecord record : records) {
            inHand.incrementAndGet();
            if (bytes(attempt(record)) > BATCH_BYTES / 2) {
                producer.flush();
            }
        }
        producer.flush(); // wait for all responses, because a rejection may close the client
        while (inHand.get() > 0) {
            next().run();
        }
    }

    private static int bytes(@Nullable ProducerRecord<byte[], byte[]> record) {
        if (record == null) {
            return 0;
        }
        int bytes =
                (record.key() == null ? 0 : record.key().length) + (record.value() == null ? 0 : record.value().length);
        for (Header header : record.headers()) {
            bytes += header.key().length() + (header.value() == null ? 0 : header.value().length);
        }
        return bytes;
    }

    /** Adds a record for {@link #run} to write. May be called from any thread. */
    public void add(PendingRecord record) {
        inHand.incrementAndGet();
        post(() -> attempt(record));
    }

    /**
     * Writes added records until interrupted.
     *
     * @throws KafkaPipelineException if the route has no proposal for a record; later records may still be written
     */
    public void run() throws InterruptedException {
        while (true) {
            next().run();
        }
    }

    private void post(Runnable step) {
        lock.lock();
        try {
            steps.add(step);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private Runnable next() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (steps.isEmpty() && !clock.hasPassed(resumeNanos)) {
                clock.await(lock, changed, resumeNanos);
            }
            Runnable step = steps.poll();
            if (step != null) {
                return step;
            }
            resumeNanos = Stage.NEVER;
            return this::sendNextSuspect;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Sends a record and returns it. Returns null if the record need not be written. Throws if the route has no
     * proposal.
     */
    private @Nullable ProducerRecord<byte[], byte[]> attempt(PendingRecord record) {
        if (record.isGone()) {
            post(() -> done(record));
            return null;
        }
        ProducerRecord<byte[], byte[]> proposal;
        try {
            proposal = route.propose(record.failed, record.tooLarge);
        } catch (RuntimeException impossible) {
            post(() -> done(record)); // done() sends the next rejected record
            throw impossible;
        }
        int number = 0;
        try {
            number = producer.open();
            int client = number;
            var ignored = producer.send(proposal, (metadata, refusal) -> {
                if (refusal == null) {
                    post(written(record, proposal));
                } else {
                    post(() -> refused(record, proposal.topic(), client, refusal));
                }
            });
        } catch (InterruptException interrupted) {
            throw interrupted;
        } catch (RuntimeException refusal) {
            if (!producer.hasOpened()) {
                throw refusal;
            }
            // Try again even if no replacement client could be created: the cause is probably temporary.
            int client = number;
            post(() -> refused(record, proposal.topic(), client, refusal));
        }
        return proposal;
    }

    /** Reports that a record was written. The returned step rethrows the report's exception on the writer's thread. */
    private Runnable written(PendingRecord record, ProducerRecord<byte[], byte[]> proposal) {
        try {
            record.written(proposal);
            return () -> done(record);
        } catch (RuntimeException | Error failure) {
            return () -> {
                done(record);
                throw failure;
            };
        }
    }

    private void done(PendingRecord record) {
        inHand.decrementAndGet();
        record.done();
        if (search.forget(record) instanceof State.Alone) {
            sendNextSuspect();
        }
    }

    private void refused(PendingRecord record, String topic, int client, Exception why) {
        if (why instanceof RecordTooLargeException && record.tooLarge < MAX_TOO_LARGE) {
            record.tooLarge++;
            var ignored = attempt(record);
            return;
        }
        producer.refused(client, why, CLOSE_PATIENCE);
        boolean isFirst = search.isEmpty();
        boolean wasAlone = search.suspect(record, why) instanceof State.Alone;
        // Pause only if the record was sent alone. Otherwise, another record of the batch may be at fault.
        long pauseNanos = wasAlone ? BACKOFF.after(++record.refusals).toNanos() : 0;
        if (wasAlone || isFirst) {
            LOG.warn(
                    "{} waits: {} failed records cannot be written to {}; next attempt in {} ms; the last one refused"
                            + " is from {}: {}",
                    owner,
                    inHand.get(),
                    topic,
                    TimeUnit.NANOSECONDS.toMillis(pauseNanos),
                    RecordOrigin.of(record.failed.raw()).place(),
                    why.toString());
        }
        if (wasAlone) {
            resumeNanos = clock.after(pauseNanos);
        } else {
            sendNextSuspect();
        }
    }

    /** Sends the next rejected record, unless one is in flight or the writer pauses. */
    private void sendNextSuspect() {
        PendingRecord next = resumeNanos == Stage.NEVER ? search.nextAlone() : null;
        if (next != null) {
            var ignored = attempt(next);
        }
    }

    /**
     * Returns the failure of the run if the client can no longer write records, or null. Called by one thread, several
     * times a second.
     */
    public @Nullable KafkaPipelineException look(long nowNanos) {
        return producer.look(nowNanos, false, " in " + owner);
    }

    /** Closes the client, if one is open. Must be called after the last send. */
    public void close(Duration patience) {
        producer.close(patience);
    }
}
