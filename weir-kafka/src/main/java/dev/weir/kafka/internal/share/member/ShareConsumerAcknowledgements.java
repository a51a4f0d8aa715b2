package dev.weir.kafka.internal.share.member;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ShareConsumer;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The acknowledgements of a share consumer to the brokers. Confined to the share consumer's thread, but for
 * {@link #settledByPipeline} and {@link #wake}.
 */
final class ShareConsumerAcknowledgements {

    private static final Logger LOG = LoggerFactory.getLogger(ShareConsumerAcknowledgements.class);

    /** The time brokers have for the last acknowledgements. */
    static final Duration LAST_ANSWER = Duration.ofSeconds(10);

    private static final long FLUSH_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final String name;
    private final ShareConsumerThread.Setup setup;
    private final ShareCounters counters;
    private final ShareConsumer<byte[], byte[]> client;
    private final HeldLocks held;
    private final Thread thread;
    private final AcknowledgementTally confirmations;
    private final ConcurrentLinkedQueue<AcquiredRecord> settled = new ConcurrentLinkedQueue<>();

    /** The client takes no acknowledgement of a record while it renews its lock. */
    private final List<AcquiredRecord> settledWhileRenewing = new ArrayList<>();

    private int unsent;
    private long unsentSinceNanos;

    ShareConsumerAcknowledgements(
            String name,
            ShareConsumerThread.Setup setup,
            ShareConsumer<byte[], byte[]> client,
            HeldLocks held,
            Thread thread) {
        this.name = name;
        this.setup = setup;
        this.counters = setup.counters();
        this.client = client;
        this.held = held;
        this.thread = thread;
        this.confirmations = new AcknowledgementTally(name, counters, this::lockLost);
    }

    void begin() {
        client.setAcknowledgementCommitCallback(confirmations);
    }

    /** Its last claim has ended. Any thread. */
    void settledByPipeline(AcquiredRecord record) {
        counters.countSettled(record);
        settled.add(record);
        wake();
    }

    /** Ends {@link #await}. Any thread. */
    void wake() {
        LockSupport.unpark(thread);
    }

    /** Waits until the pipeline has done a record, that long at most. */
    void await(long nanos) {
        if (settled.isEmpty()) {
            LockSupport.parkNanos(this, nanos);
        }
    }

    /** Tells the acknowledgements of what the pipeline has done. */
    void tell() {
        List<AcquiredRecord> late = new ArrayList<>();
        for (AcquiredRecord record = settled.poll(); record != null; record = settled.poll()) {
            if (!held.contains(record)) {
                continue;
            }
            if (record.isRenewing()) {
                settledWhileRenewing.add(record);
            } else if (held.isExpired(record)) {
                late.add(record);
            } else {
                acknowledge(record, record.fate().type());
            }
        }
        if (!late.isEmpty()) {
            lockOver(late);
        }
    }

    /**
     * Their locks are over, by a reckoning that begins before the broker's. What is done is told, as it may be in time.
     * The rest is lost to the pipeline and goes back: a client polls no more before it has heard of each. They go in a
     * request of their own, as brokers refuse all acknowledgements of a partition that come with one that is late.
     */
    void lockOver(List<AcquiredRecord> late) {
        flush();
        counters.lockExpired.add(late.size());
        boolean lost = false;
        boolean unseen = false;
        for (AcquiredRecord record : late) {
            boolean waited = record.giveBack();
            boolean undone = waited || record.giveUp();
            acknowledge(
                    record,
                    record.isGone() ? AcknowledgeType.RELEASE : record.fate().type());
            lost |= undone;
            unseen |= waited && record.isOffered();
        }
        if (unseen) {
            setup.ready().passedBy();
        }
        if (lost) {
            setup.onLost().run();
        }
        flush();
    }

    /** Renewals were answered: what was settled meanwhile can be told. */
    void takeUp() {
        settled.addAll(settledWhileRenewing);
        settledWhileRenewing.clear();
    }

    /** Gives it to the client, which sends it with the next poll or {@link #send}. */
    void acknowledge(AcquiredRecord record, AcknowledgeType type) {
        if (type != AcknowledgeType.RENEW) {
            boolean ignored = held.remove(record);
        }
        if (type == AcknowledgeType.RELEASE) {
            counters.countIfLost(name, record);
        }
        confirmations.sent(record, type);
        try {
            client.acknowledge(record, type);
        } catch (IllegalStateException gone) {
            confirmations.forget(record);
            counters.failedAcknowledgements.increment();
            LOG.warn("{}: {} of {} came too late, the record comes again", name, type, record.name());
            if (type == AcknowledgeType.RENEW) {
                lockLost(record);
            }
            return;
        }
        if (unsent++ == 0) {
            unsentSinceNanos = System.nanoTime();
        }
    }

    /** Somebody else may have it from now on. */
    void lockLost(AcquiredRecord record) {
        if (held.remove(record) && record.lose()) {
            counters.lockExpired.increment();
            counters.countIfLost(name, record);
            setup.onLost().run();
        }
    }

    /** Renewals that have no answer yet, as far as {@link #send} has heard. */
    int openRenewals() {
        return confirmations.openRenewals();
    }

    void sendIfDue(long now) {
        if (unsent > 0 && now - unsentSinceNanos >= FLUSH_NANOS) {
            send();
        }
    }

    /** Sends what there is, and hears the answers that have come. Does not wait. */
    void send() {
        client.commitAsync();
        unsent = 0;
    }

    /** A poll has sent what there was. */
    void sentByPoll() {
        unsent = 0;
    }

    /** Sends what there is, and waits for the answers. */
    void flush() {
        try {
            var ignored = client.commitSync(LAST_ANSWER);
        } catch (WakeupException closing) {
            // They are in flight, and the client's close waits for the answers.
            LOG.debug("{}: no longer waits for the answers to its acknowledgements", name, closing);
        } catch (RetriableException unanswered) {
            LOG.warn(
                    "{}: the last acknowledgements have no answer, their records may come again: {}",
                    name,
                    unanswered.toString());
        }
        unsent = 0;
    }
}
