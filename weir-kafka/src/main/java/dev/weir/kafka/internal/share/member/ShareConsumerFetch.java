package dev.weir.kafka.internal.share.member;

import dev.weir.kafka.internal.share.member.SharePath.AcquireMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntSupplier;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.ShareConsumer;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A share consumer's questions for records: when there is demand, it polls, and hands what came to the pipeline.
 * Confined to the share consumer's thread, but for {@link #retire} and {@link #close}.
 *
 * <p>A poll that brings nothing has no end for the client: it goes on asking by itself until some broker has acquired
 * it records, which then lie in its buffer with their locks running ({@code fetchMoreRecords} of Kafka 4.4's {@code
 * ShareConsumeRequestManager}). So a share consumer that waits after such a poll looks again, several times a second,
 * until something came; and one whose last poll brought records does not, as that would begin to ask. In the mode of
 * whole batches the client asks several brokers at once, and answers the next poll with what the others brought.
 */
final class ShareConsumerFetch {

    private static final Logger LOG = LoggerFactory.getLogger(ShareConsumerFetch.class);

    private static final Duration POLL = Duration.ofMillis(500);
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long AT_ONCE_NANOS = TimeUnit.MICROSECONDS.toNanos(200);
    private static final long ERROR_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final int DEFAULT_LOCK_MILLIS = 30_000;
    private static final long QUOTA_LOOK_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final String name;
    private final AcquireMode mode;
    private final ShareConsumerThread.Setup setup;
    private final ReadyRecords ready;
    private final ShareCounters counters;
    private final ShareConsumer<byte[], byte[]> client;
    private final HeldLocks held;
    private final ShareConsumerAcknowledgements fates;
    private final Runnable onJoined;
    private final IntSupplier deliveryLimit;

    private boolean asking;
    private boolean joined;
    private long lastLookNanos = System.nanoTime();
    private long quotaLookNanos = System.nanoTime() - QUOTA_LOOK_NANOS;
    private long roundSinceNanos;

    private volatile boolean retired;
    private volatile boolean closed;
    private volatile boolean inPoll;

    ShareConsumerFetch(
            String name,
            AcquireMode mode,
            ShareConsumerThread.Setup setup,
            ShareConsumer<byte[], byte[]> client,
            HeldLocks held,
            ShareConsumerAcknowledgements fates,
            Runnable onJoined) {
        this.name = name;
        this.mode = mode;
        this.setup = setup;
        this.ready = setup.ready();
        this.counters = setup.counters();
        this.client = client;
        this.held = held;
        this.fates = fates;
        this.onJoined = onJoined;
        this.deliveryLimit = setup::deliveryLimit;
    }

    /** Kafka's client tells of its assignment by a metric alone: how often there was a new one. */
    private boolean hasPartitions() {
        return client.metrics().values().stream()
                .filter(metric -> metric.metricName().name().equals("rebalance-total"))
                .anyMatch(metric -> metric.metricValue() instanceof Double total && total > 0);
    }

    /** It does not tell of answers that a quota emptied either, but for how long brokers held answers back. */
    private void lookForQuota(long nowNanos) {
        if (nowNanos - quotaLookNanos < QUOTA_LOOK_NANOS) {
            return;
        }
        quotaLookNanos = nowNanos;
        boolean throttled = client.metrics().values().stream()
                .filter(metric -> metric.metricName().name().equals("fetch-throttle-time-max"))
                .anyMatch(metric -> metric.metricValue() instanceof Double millis && millis > 0);
        if (throttled && counters.toldOfQuota.compareAndSet(false, true)) {
            LOG.warn(
                    "{}: a quota makes brokers hold back answers, whose records come again after their lock with one"
                            + " delivery less: raise consumer_byte_rate or request_percentage of this client",
                    name);
        }
    }

    /** Begins no further question. Any thread. */
    void retire() {
        retired = true;
    }

    /** Returns whether the client may be asking brokers for records, or have some that were not looked at. */
    boolean isAsking() {
        return asking;
    }

    /** Asks no more, and ends a poll that is under way. Any thread. */
    void close() {
        closed = true;
        if (inPoll) {
            client.wakeup();
        }
    }

    /** Asks for records if the pipeline wants some; else waits a little. Only while none are held. */
    void fetch() throws InterruptedException {
        long since = System.nanoTime();
        if (!ready.awaitDemand(0)) {
            fates.send();
            boolean ignored = ready.awaitDemand(LOOK_NANOS);
            if (ready.isEnded()) {
                LockSupport.parkNanos(LOOK_NANOS); // The close comes soon.
            }
            counters.noDemandNanos.add(System.nanoTime() - since);
            takeWhatCame();
            return;
        }
        if (asking) {
            fates.send();
            boolean asks = setup.scouts().mayAsk(this, LOOK_NANOS);
            counters.emptyPollNanos.add(System.nanoTime() - since);
            if (!asks) {
                takeWhatCame();
                return;
            }
        }
        poll(POLL);
    }

    private void takeWhatCame() {
        if (asking) {
            poll(Duration.ZERO);
        }
    }

    private void poll(Duration patience) {
        long begun = System.nanoTime();
        inPoll = true; // Before the look: a close that comes after it wakes the client.
        if (closed || (retired && !asking)) {
            inPoll = false;
            return;
        }
        lookForQuota(begun);
        ConsumerRecords<byte[], byte[]> records = ask(patience);
        long nanos = System.nanoTime() - begun;
        if (records == null) {
            asking = true;
            return;
        }
        // What the client had before it was asked is as old as the last look at its buffer, at most.
        boolean leftOver = mode == AcquireMode.BATCH_OPTIMIZED && nanos < AT_ONCE_NANOS;
        long lockedSince = asking || leftOver ? lastLookNanos : begun;
        lastLookNanos = begun;
        asking = records.isEmpty();
        if (asking) {
            counters.emptyPollNanos.add(nanos);
            return;
        }
        counters.polls.increment();
        counters.pollNanos.add(nanos);
        roundSinceNanos = System.nanoTime();
        setup.scouts().found(this);
        accept(records, lockedSince);
    }

    /**
     * Takes up the records whose renewal was answered, and whose acknowledgements can be told again. As long as another
     * has no answer, the client fetches as well.
     */
    void takeRenewed(boolean allAnswered) {
        if (!allAnswered && !asking) {
            asking = true;
            lastLookNanos = System.nanoTime();
        }
        ConsumerRecords<byte[], byte[]> records = ask(Duration.ZERO);
        if (records != null) {
            accept(records, lastLookNanos);
            fates.takeUp();
        }
    }

    /** All that is held is done. */
    void roundEnded() {
        counters.rounds.increment();
        counters.roundNanos.add(System.nanoTime() - roundSinceNanos);
        held.publish();
    }

    /** Null if there was no answer. */
    private @Nullable ConsumerRecords<byte[], byte[]> ask(Duration patience) {
        inPoll = true;
        try {
            return client.poll(patience);
        } catch (WakeupException closing) {
            return null;
        } catch (RetriableException passing) {
            LOG.warn("{}: {}", name, passing.toString());
            LockSupport.parkNanos(ERROR_PAUSE_NANOS);
            return null;
        } finally {
            inPoll = false;
            if (!joined && hasPartitions()) {
                joined = true;
                onJoined.run();
            }
            fates.sentByPoll();
        }
    }

    private void accept(ConsumerRecords<byte[], byte[]> records, long lockedSince) {
        held.lentFor(client.acquisitionLockTimeoutMs().orElse(DEFAULT_LOCK_MILLIS));
        List<AcquiredRecord> fresh = new ArrayList<>();
        for (ConsumerRecord<byte[], byte[]> record : records) {
            AcquiredRecord known = held.find(record);
            if (known != null && known.isRenewing()) {
                known.renewed();
                continue;
            }
            AcquiredRecord acquired = new AcquiredRecord(record, deliveryLimit, lockedSince, fates::settledByPipeline);
            held.add(acquired);
            fresh.add(acquired);
        }
        held.publish();
        offer(fresh);
    }

    private void offer(List<AcquiredRecord> fresh) {
        counters.countAcquired(fresh);
        Map<Boolean, List<AcquiredRecord>> byExpiry =
                fresh.stream().collect(Collectors.partitioningBy(held::isExpired));
        setup.offer(byExpiry.getOrDefault(false, List.of()));
        List<AcquiredRecord> stale = byExpiry.getOrDefault(true, List.of());
        if (!stale.isEmpty()) {
            fates.lockOver(stale);
        }
    }
}
