package dev.weir.kafka.internal.share.member;

import dev.weir.kafka.ConsumerSettings.UnreadableBatches;
import dev.weir.kafka.internal.in.lookup.KafkaSurroundings;
import dev.weir.kafka.internal.share.group.ShareFaults;
import dev.weir.lean.share.HeldRecords;
import dev.weir.lean.share.LockedRecord;
import dev.weir.stream.spi.Thrown;
import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.ShareConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupMaxSizeReachedException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One share consumer of Kafka's client on its own thread. It polls some records, waits until the pipeline has finished
 * them, and polls again. Confined to its thread, except for {@link #close}, {@link #join}, {@link #held} and
 * {@link #unfinished}.
 *
 * <p>After a poll that returns nothing, the client keeps fetching until a broker has acquired records for it
 * ({@code fetchMoreRecords} of {@code ShareConsumeRequestManager} in Kafka 4.4). These records wait in the client's
 * buffer while their locks are running, so the thread then checks the buffer several times per second.
 *
 * <p>A poll that returns records may also leave records in the buffer. If the poll begins while a fetch is in flight,
 * the client may fetch once more. The additional records wait until all records of the poll are finished.
 */
final class ShareConsumerThread implements Runnable, HeldRecords.Client {

    private static final Logger LOG = LoggerFactory.getLogger(ShareConsumerThread.class);

    private static final Duration POLL = Duration.ofMillis(500);
    private static final Duration LAST_ANSWER = Duration.ofSeconds(10);
    private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(8);

    /** Interval between checks of the client's buffer, and pause after an error. */
    private static final long CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private static final long LOCKS_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long SEND_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long QUOTA_NANOS = TimeUnit.SECONDS.toNanos(2);

    /**
     * Maximum time that a close waits for renewals in flight. The client accepts no acknowledgement of a record while
     * its renewal is unanswered.
     */
    private static final long LAST_RENEWAL_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final SharePath.Setup setup;
    private final String name;
    private final ShareConsumer<byte[], byte[]> client;
    private final ClientPath path;
    private final ReadyRecords ready;
    private final AcquiredRecordDelivery delivery;
    private final HeldRecords held;
    private final Thread thread;
    private final ConcurrentLinkedQueue<AcquiredRecord> finished = new ConcurrentLinkedQueue<>();

    // Confined to the thread.
    private boolean asking;
    private boolean asksInVain;
    private boolean joined;
    private boolean unsent;
    private boolean givenUp;
    private long unsentSinceNanos;
    private long givenUpNanos;
    private long checkedNanos = System.nanoTime();
    private long publishAtNanos = System.nanoTime();
    private long quotaAtNanos = System.nanoTime();

    private volatile boolean inPoll;
    private volatile boolean closing;
    private volatile long closeAtNanos;
    private volatile int unfinished;

    ShareConsumerThread(SharePath.Setup setup, int number, ShareConsumer<byte[], byte[]> client, ClientPath path) {
        this.setup = setup;
        this.name = setup.name() + ", share consumer " + number;
        this.client = client;
        this.path = path;
        this.ready = setup.ready();
        this.delivery = new AcquiredRecordDelivery(setup, UnreadableBatches.FAIL, this::finished);
        this.held = new HeldRecords(this, delivery);
        this.thread = Thread.ofPlatform().daemon().name("weir-share-" + number).unstarted(this);
    }

    void start() {
        thread.start();
    }

    /** Ends the thread once the pipeline has finished its records, at {@code deadlineNanos} at the latest. */
    void close(long deadlineNanos) {
        closeAtNanos = deadlineNanos;
        closing = true;
        LockSupport.unpark(thread);
        if (inPoll) {
            client.wakeup();
        }
    }

    /** Waits for the thread to end. Returns false on a timeout. If the thread was never started, closes the client. */
    boolean join(Duration patience) throws InterruptedException {
        if (thread.getState() == Thread.State.NEW) {
            closeClient();
            return true;
        }
        return thread.join(patience);
    }

    /** Returns the records of this share consumer. Any thread may read their first offsets and their lock duration. */
    HeldRecords held() {
        return held;
    }

    int unfinished() {
        return unfinished;
    }

    private void finished(AcquiredRecord record) {
        setup.counters().countSettled(record);
        finished.add(record);
        LockSupport.unpark(thread);
    }

    @Override
    public void run() {
        try {
            client.setAcknowledgementCommitCallback(
                    (offsets, failure) -> held.answered(offsets, failure, System.nanoTime()));
            client.subscribe(setup.topics());
            while (!isOver()) {
                if (held.isEmpty()) {
                    fetch();
                } else {
                    attend();
                }
            }
            flush();
        } catch (InterruptedException | InterruptException | WakeupException stopped) {
            LOG.debug("{} was stopped", name, stopped);
        } catch (GroupMaxSizeReachedException full) {
            path.refused(full);
        } catch (Throwable failure) {
            setup.onFailure().accept(failure instanceof KafkaException known ? ShareFaults.explained(known) : failure);
        } finally {
            end();
        }
    }

    private boolean isOver() {
        boolean late = givenUp && System.nanoTime() - givenUpNanos >= LAST_RENEWAL_NANOS;
        return closing && (late || held.isEmpty());
    }

    private void end() {
        mayAgainAskInVain();
        held.close();
        boolean ignored = Thread.interrupted();
        closeClient();
    }

    private void closeClient() {
        try {
            client.close(CLOSE_PATIENCE);
        } catch (RuntimeException failure) {
            LOG.warn("{}: it could not leave the group: {}", name, Thrown.text(failure));
        }
    }

    /**
     * Polls if the pipeline wants records, and otherwise waits briefly. Called only while no records are held. After a
     * poll that returned nothing, only one share consumer at a time polls again.
     *
     * <p>Otherwise, if this process died, a broker could deliver the released records to another request of the same
     * process that is still waiting.
     */
    private void fetch() throws InterruptedException {
        long since = System.nanoTime();
        boolean asks = ready.awaitDemand(0);
        if (!asks) {
            send();
            boolean ignored = ready.awaitDemand(CHECK_NANOS);
            if (ready.isEnded() && !closing) {
                LockSupport.parkNanos(this, CHECK_NANOS); // The close follows soon.
            }
        } else if (asking && !asksInVain) {
            send();
            asksInVain = path.mayAskInVain.tryAcquire(CHECK_NANOS, TimeUnit.NANOSECONDS);
            asks = asksInVain;
            delivery.fetched(0, System.nanoTime() - since, true);
        }
        if (asks || asking) {
            poll(asks ? POLL : Duration.ZERO);
        }
    }

    private void mayAgainAskInVain() {
        if (asksInVain) {
            asksInVain = false;
            path.mayAskInVain.release();
        }
    }

    private void poll(Duration patience) {
        long begun = System.nanoTime();
        boolean mayHoldRecords = !asking && isOldCheck(begun);
        asking |= mayHoldRecords;
        ConsumerRecords<byte[], byte[]> records = ask(mayHoldRecords ? Duration.ZERO : patience);
        if (records == null) {
            asking = true;
            return;
        }
        // If the client was fetching before this poll, the locks may have started at any time since the last check of
        // its buffer.
        long lockedSince = asking ? checkedNanos : begun;
        checkedNanos = begun;
        asking = records.isEmpty();
        delivery.fetched(records.count(), System.nanoTime() - begun, true);
        if (!asking) {
            mayAgainAskInVain();
            accept(records, lockedSince);
        }
    }

    /** Returns whether a record in the client's buffer may have lost much of its lock time. */
    private boolean isOldCheck(long nowNanos) {
        return nowNanos - checkedNanos >= TimeUnit.MILLISECONDS.toNanos(held.lockMillis()) / 4 && held.lockMillis() > 0;
    }

    /** Polls the client. Returns null after a temporary failure or a close. */
    private @Nullable ConsumerRecords<byte[], byte[]> ask(Duration patience) {
        warnOfQuota();
        inPoll = true; // set before `closing` is read, because close() wakes the client only in a poll
        try {
            return closing && held.isEmpty() ? null : client.poll(patience);
        } catch (WakeupException closed) {
            return null;
        } catch (RetriableException passing) {
            LOG.warn("{}: {}", name, passing.toString());
            LockSupport.parkNanos(CHECK_NANOS);
            return null;
        } finally {
            inPoll = false;
            unsent = false;
            if (!joined && metric("rebalance-total") > 0) {
                joined = true;
                path.joined();
            }
        }
    }

    /** Returns the sum of a metric. The client reports assignments and quotas only as metrics. */
    private double metric(String metricName) {
        return client.metrics().values().stream()
                .filter(metric -> metric.metricName().name().equals(metricName))
                .mapToDouble(metric -> metric.metricValue() instanceof Double value && value > 0 ? value : 0)
                .sum();
    }

    private void warnOfQuota() {
        long now = System.nanoTime();
        if (now - quotaAtNanos < 0) {
            return;
        }
        quotaAtNanos = now + QUOTA_NANOS;
        if (metric("fetch-throttle-time-max") > 0
                && setup.counters().quotaReported.compareAndSet(false, true)) {
            LOG.warn(
                    "{}: a quota makes brokers delay answers; their records are delivered again after their lock,"
                            + " with one delivery fewer left: raise consumer_byte_rate or request_percentage"
                            + " of this client",
                    name);
        }
    }

    private void accept(ConsumerRecords<byte[], byte[]> records, long lockedSinceNanos) {
        client.acquisitionLockTimeoutMs().ifPresent(held::lockMillis);
        long now = System.nanoTime();
        for (ConsumerRecord<byte[], byte[]> record : records) {
            if (!held.takeUp(record)) {
                held.add(delivery.receive(record), lockedSinceNanos, now);
                path.acquired(new TopicPartition(record.topic(), record.partition()), record.offset());
            }
        }
        held.publish();
        held.attend(now, ready.isEnded()); // before records are offered, because a lock may have expired
        delivery.acquiredAll();
    }

    /** Processes finished records, renews the locks of unfinished ones, and waits briefly. */
    private void attend() {
        long now = System.nanoTime();
        for (AcquiredRecord record = finished.poll(); record != null; record = finished.poll()) {
            held.ended(record, now);
        }
        if (closing && !givenUp && now - closeAtNanos >= 0) {
            delivery.keepLast(held.all());
            unfinished = held.giveUp(now);
            givenUp = true;
            givenUpNanos = System.nanoTime();
        }
        held.attend(now, ready.isEnded());
        if (held.hasRenewed(now)) {
            takeRenewed();
        }
        if (held.isEmpty() || now - publishAtNanos >= 0) {
            held.publish();
            publishAtNanos = now + LOCKS_NANOS;
        }
        if (held.isEmpty()) {
            return; // The next poll sends the acknowledgements.
        }
        if (held.awaitsRenewals() || (unsent && now - unsentSinceNanos >= SEND_NANOS)) {
            send();
        }
        if (finished.isEmpty()) {
            KafkaSurroundings.INSTANCE.park(LOCKS_NANOS); // keeps an interrupt for the next fetch
        }
    }

    /** Polls the client for renewed records. The poll may also fetch new records into the client's buffer. */
    private void takeRenewed() {
        if (held.awaitsRenewals() && !asking) {
            asking = true;
            checkedNanos = System.nanoTime();
        }
        ConsumerRecords<byte[], byte[]> records = ask(Duration.ZERO);
        if (records != null) {
            accept(records, checkedNanos);
        }
    }

    @Override
    public boolean acknowledge(LockedRecord record, AcknowledgeType type) {
        try {
            client.acknowledge((AcquiredRecord) record, type);
        } catch (IllegalStateException forgotten) {
            return false;
        }
        if (!unsent) {
            unsent = true;
            unsentSinceNanos = System.nanoTime();
        }
        return true;
    }

    /** Sends the acknowledgements and processes available responses. Does not wait. */
    private void send() {
        client.commitAsync();
        unsent = false;
    }

    @Override
    public void flush() {
        try {
            var ignored = client.commitSync(LAST_ANSWER);
        } catch (WakeupException closed) {
            // Nothing is lost: closing the client waits for the responses.
            LOG.debug("{}: no longer waits for the answers to its acknowledgements", name, closed);
        } catch (RetriableException unanswered) {
            LOG.warn(
                    "{}: the last acknowledgements have no answer, their records may be delivered again: {}",
                    name,
                    unanswered.toString());
        }
        unsent = false;
    }
}
