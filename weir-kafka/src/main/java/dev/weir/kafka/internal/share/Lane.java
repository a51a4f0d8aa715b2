package dev.weir.kafka.internal.share;

import dev.weir.kafka.internal.share.SharePath.AcquireMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.ShareConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One share consumer on a thread of its own: acquires some records, waits until the pipeline has done them, tells their
 * fates, and acquires the next. Its client allows no other way: as long as one record of a poll is open, it fetches
 * nothing. So there are several lanes.
 *
 * <p>At half the time of their lock, records that the pipeline has are renewed and records that still wait are given
 * back. {@link #retire}, {@link #close}, {@link #lockMillis} and {@link #held} are for any thread.
 */
final class Lane implements Runnable {

    private static final Logger LOG = LoggerFactory.getLogger(Lane.class);

    private static final Duration POLL = Duration.ofMillis(500);
    private static final Duration RENEWAL_POLL = Duration.ofMillis(50);
    private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(8);
    private static final Duration LAST_ANSWER = Duration.ofSeconds(10);
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long FLUSH_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long SCAN_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long AT_ONCE_NANOS = TimeUnit.MICROSECONDS.toNanos(200);
    private static final long ERROR_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final int DEFAULT_LOCK_MILLIS = 30_000;

    private final LaneSetup setup;
    private final ReadyRecords ready;
    private final ShareCounters counters;
    private final String name;
    private final int pollRecords;
    private final AcquireMode mode;
    private final ShareConsumer<byte[], byte[]> client;
    private final Thread thread;
    private final Confirmations confirmations;
    private final Held held = new Held();
    private final ConcurrentLinkedQueue<AcquiredRecord> settled = new ConcurrentLinkedQueue<>();

    // Confined to the lane's thread.
    private final List<AcquiredRecord> settledWhileRenewing = new ArrayList<>();
    private int unsent;
    private long unsentSinceNanos;
    private long lastPollNanos = System.nanoTime();
    private long roundSinceNanos;
    private long scanAtNanos = System.nanoTime();
    private boolean foundNothing;

    private volatile boolean retired;
    private volatile boolean closing;
    private volatile boolean inPoll;
    private volatile long closeAtNanos = Long.MAX_VALUE;
    private volatile int lockMillis;
    private volatile int unfinished;

    /** Makes the client; throws if its configuration is refused. */
    Lane(LaneSetup setup, int number, int pollRecords, AcquireMode mode) {
        this.setup = setup;
        this.ready = setup.ready();
        this.counters = setup.counters();
        this.pollRecords = pollRecords;
        this.mode = mode;
        this.name = setup.name() + ", lane " + number;
        Map<String, Object> config = new HashMap<>(setup.config());
        config.put(ConsumerConfig.CLIENT_ID_CONFIG, config.get(ConsumerConfig.CLIENT_ID_CONFIG) + "-" + number);
        config.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, pollRecords);
        config.put(ConsumerConfig.SHARE_ACQUIRE_MODE_CONFIG, mode.configured());
        this.client = setup.clients().apply(config);
        this.confirmations = new Confirmations(name, counters, this::lockLost);
        this.thread = Thread.ofPlatform().daemon().name("weir-share-" + number).unstarted(this);
    }

    void start() {
        thread.start();
    }

    int pollRecords() {
        return pollRecords;
    }

    AcquireMode mode() {
        return mode;
    }

    boolean isRetired() {
        return retired;
    }

    Held held() {
        return held;
    }

    /** In milliseconds; 0 as long as it is not known. */
    int lockMillis() {
        return lockMillis;
    }

    /** Records that the pipeline had not finished at the close. */
    int unfinished() {
        return unfinished;
    }

    /**
     * Acquires no more, and ends when what it holds is done. A poll goes on to its end: what it was to bring would be
     * acquired all the same, and lose a delivery.
     */
    void retire() {
        retired = true;
        LockSupport.unpark(thread);
    }

    /** Ends when what the pipeline has is done, at {@code deadlineNanos} at the latest. */
    void close(long deadlineNanos) {
        closeAtNanos = deadlineNanos;
        closing = true;
        retired = true;
        wake();
    }

    private void wake() {
        if (inPoll) {
            client.wakeup();
        }
        LockSupport.unpark(thread);
    }

    boolean hasEnded() {
        return thread.getState() == Thread.State.TERMINATED;
    }

    /** Waits for its end. */
    void join() throws InterruptedException {
        thread.join();
    }

    @Override
    public void run() {
        try {
            client.setAcknowledgementCommitCallback(confirmations);
            client.subscribe(setup.topics());
            while (!retired || !held.isEmpty()) {
                if (held.isEmpty()) {
                    fetch();
                } else {
                    attend();
                }
            }
            flushSync();
        } catch (InterruptedException | InterruptException | WakeupException stopped) {
            LOG.debug("{} was stopped", name, stopped);
        } catch (Throwable failure) {
            setup.onFailure().accept(explained(failure));
        } finally {
            end();
        }
    }

    private void end() {
        setup.scouts().leave(this);
        held.all(record -> true).forEach(this::lockLost);
        boolean ignored = Thread.interrupted();
        try {
            client.close(CLOSE_PATIENCE);
        } catch (RuntimeException failure) {
            LOG.warn("{}: its goodbye to the group failed: {}", name, failure.toString());
        }
    }

    private void fetch() throws InterruptedException {
        if (!ready.awaitDemand(0)) {
            long since = System.nanoTime();
            client.commitAsync();
            unsent = 0;
            boolean ignored = ready.awaitDemand(LOOK_NANOS);
            if (ready.isEnded() && !retired) {
                LockSupport.parkNanos(LOOK_NANOS); // The close comes soon.
            }
            counters.noDemandNanos.add(System.nanoTime() - since);
            takeWhatCame();
            return;
        }
        if (foundNothing) {
            long since = System.nanoTime();
            client.commitAsync();
            unsent = 0;
            boolean asks = setup.scouts().mayAsk(this, LOOK_NANOS);
            counters.emptyPollNanos.add(System.nanoTime() - since);
            if (!asks) {
                takeWhatCame();
                return;
            }
        }
        poll(POLL);
        foundNothing = held.isEmpty();
        if (!foundNothing) {
            setup.scouts().found(this);
        }
    }

    /** After a poll in vain the client goes on asking by itself: what came since must not lie there until its locks end. */
    private void takeWhatCame() {
        poll(Duration.ZERO);
        if (!held.isEmpty()) {
            foundNothing = false;
            setup.scouts().found(this);
        }
    }

    private void poll(Duration patience) {
        long begun = System.nanoTime();
        ConsumerRecords<byte[], byte[]> records;
        inPoll = true;
        try {
            records = retired && held.isEmpty() ? ConsumerRecords.empty() : client.poll(patience);
        } catch (WakeupException retiredMeanwhile) {
            return;
        } catch (RetriableException passing) {
            LOG.warn("{}: {}", name, passing.toString());
            LockSupport.parkNanos(ERROR_PAUSE_NANOS);
            return;
        } finally {
            inPoll = false;
            unsent = 0;
        }
        long now = System.nanoTime();
        if (held.isEmpty()) {
            if (records.isEmpty()) {
                counters.emptyPollNanos.add(now - begun);
            } else {
                counters.polls.increment();
                counters.pollNanos.add(now - begun);
            }
        }
        // What comes at once was there before: another broker had answered the poll before this one.
        long lockedSince = now - begun < AT_ONCE_NANOS ? lastPollNanos : begun;
        if (held.isEmpty()) {
            // Polls for renewals fetch ahead without showing it: what they bring may be as old as the first of them.
            lastPollNanos = begun;
        }
        lockMillis = client.acquisitionLockTimeoutMs().orElse(DEFAULT_LOCK_MILLIS);
        accept(records, lockedSince);
    }

    private void accept(ConsumerRecords<byte[], byte[]> records, long lockedSince) {
        List<AcquiredRecord> fresh = new ArrayList<>();
        if (held.isEmpty()) {
            roundSinceNanos = System.nanoTime();
        }
        for (ConsumerRecord<byte[], byte[]> record : records) {
            AcquiredRecord known = held.find(record);
            if (known != null && known.isRenewing()) {
                known.renewed();
                continue;
            }
            AcquiredRecord acquired =
                    new AcquiredRecord(record, setup.deliveryLimit(), lockedSince, this::settledByPipeline);
            held.add(acquired);
            fresh.add(acquired);
        }
        settled.addAll(settledWhileRenewing);
        settledWhileRenewing.clear();
        held.publish();
        offer(fresh);
    }

    private void offer(List<AcquiredRecord> fresh) {
        counters.acquired.add(fresh.size());
        List<AcquiredRecord> safe = new ArrayList<>(fresh.size());
        ParkedCopies copies = setup.copies();
        for (AcquiredRecord record : fresh) {
            if (record.delivery() > 1) {
                counters.redelivered.increment();
            }
            if (copies != null && record.isAtRisk()) {
                copies.keep(record, () -> ready.put(List.of(record)));
            } else {
                safe.add(record);
            }
        }
        if (!safe.isEmpty()) {
            ready.put(safe);
        }
    }

    private void settledByPipeline(AcquiredRecord record) {
        counters.settled.increment();
        settled.add(record);
        LockSupport.unpark(thread);
    }

    /** Looks after what is held, once, and waits a little. */
    private void attend() {
        tellFates();
        if (held.isEmpty()) {
            counters.rounds.increment();
            counters.roundNanos.add(System.nanoTime() - roundSinceNanos);
            held.publish();
            return;
        }
        long now = System.nanoTime();
        flushIfDue(now);
        if (now - scanAtNanos < 0) {
            if (settled.isEmpty()) {
                LockSupport.parkNanos(this, scanAtNanos - now);
            }
            return;
        }
        scan(now);
        scanAtNanos = System.nanoTime() + SCAN_NANOS;
    }

    private void flushIfDue(long now) {
        if (unsent > 0 && now - unsentSinceNanos >= FLUSH_NANOS) {
            client.commitAsync();
            unsent = 0;
        }
    }

    /** Looks at the locks of all that is held. */
    private void scan(long now) {
        if (ready.isEnded()) {
            // The last delivery of a record is not spent on going back as long as the pipeline may take it.
            boolean over = ready.isOver();
            giveBack(
                    held.all(record ->
                            !record.isRenewing() && (!record.isLastDelivery() || (over && record.isOffered()))),
                    false);
        }
        if (closing && now - closeAtNanos >= 0) {
            giveUpAll();
            return;
        }
        List<AcquiredRecord> open = held.all(record -> !record.isRenewing());
        if (open.isEmpty()) {
            if (!held.isEmpty()) {
                awaitRenewals(now);
            }
            return;
        }
        long renewalDue =
                open.stream().mapToLong(AcquiredRecord::lockedSinceNanos).min().getAsLong() + lockNanos() / 2;
        if (now - renewalDue >= 0) {
            renew(open, now);
            return;
        }
        held.publish();
    }

    private long lockNanos() {
        return TimeUnit.MILLISECONDS.toNanos(lockMillis);
    }

    private boolean isExpired(AcquiredRecord record) {
        return System.nanoTime() - record.lockedSinceNanos() >= lockNanos();
    }

    private void tellFates() {
        List<AcquiredRecord> late = new ArrayList<>();
        for (AcquiredRecord record = settled.poll(); record != null; record = settled.poll()) {
            if (!held.contains(record)) {
                continue;
            }
            if (record.isRenewing()) {
                settledWhileRenewing.add(record);
            } else if (isExpired(record)) {
                late.add(record);
            } else {
                acknowledge(record, record.fate().type());
            }
        }
        if (!late.isEmpty()) {
            // The brokers refuse all acknowledgements of a partition that come with one that is late.
            flushSync();
            counters.lockExpired.add(late.size());
            late.forEach(record -> acknowledge(record, record.fate().type()));
            flushSync();
        }
    }

    private void acknowledge(AcquiredRecord record, AcknowledgeType type) {
        if (type != AcknowledgeType.RENEW) {
            boolean ignored = held.remove(record);
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

    /** Gives back those that the pipeline has not taken. */
    private void giveBack(List<AcquiredRecord> open, boolean sparing) {
        int given = 0;
        for (AcquiredRecord record : open) {
            if (!(sparing && record.isAtRisk()) && record.giveBack()) {
                acknowledge(record, AcknowledgeType.RELEASE);
                given++;
            }
        }
        if (given > 0) {
            counters.neverBegun.add(given);
            ready.passedBy();
        }
    }

    private void renew(List<AcquiredRecord> open, long now) {
        // One of the last deliveries is not spent on a record that nobody has looked at.
        giveBack(open, true);
        if (held.isEmpty()) {
            return; // A poll would fetch the same records again, for a pipeline that stands.
        }
        for (AcquiredRecord record : open) {
            if (held.contains(record)) {
                acknowledge(record, AcknowledgeType.RENEW);
                record.renewing(now);
            }
        }
        poll(RENEWAL_POLL);
    }

    private void awaitRenewals(long now) {
        poll(RENEWAL_POLL);
        List<AcquiredRecord> overdue =
                held.all(record -> record.isRenewing() && now - record.lockedSinceNanos() >= lockNanos());
        overdue.forEach(this::lockLost);
    }

    /** Somebody else may have it from now on. */
    private void lockLost(AcquiredRecord record) {
        if (held.remove(record) && record.lose()) {
            counters.lockExpired.increment();
            setup.onLost().run();
        }
    }

    private void giveUpAll() {
        int given = 0;
        for (AcquiredRecord record : held.all(each -> !each.isRenewing())) {
            if (record.lose()) {
                acknowledge(record, AcknowledgeType.RELEASE);
                given++;
            } else {
                acknowledge(
                        record,
                        record.isGone()
                                ? AcknowledgeType.RELEASE
                                : record.fate().type());
            }
        }
        List<AcquiredRecord> renewing = held.all(each -> true);
        renewing.forEach(held::remove);
        unfinished = given + renewing.size();
    }

    private void flushSync() {
        if (!retired && unsent == 0) {
            return;
        }
        try {
            client.commitSync(LAST_ANSWER);
        } catch (WakeupException twice) {
            client.commitSync(LAST_ANSWER);
        } catch (RetriableException unanswered) {
            LOG.warn(
                    "{}: the last acknowledgements have no answer, their records may come again: {}",
                    name,
                    unanswered.toString());
        }
        unsent = 0;
    }

    private static Throwable explained(Throwable failure) {
        return failure instanceof KafkaException known ? ShareFaults.explained(known) : failure;
    }
}
