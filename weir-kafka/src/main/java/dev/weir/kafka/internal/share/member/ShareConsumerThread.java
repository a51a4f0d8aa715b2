package dev.weir.kafka.internal.share.member;

import dev.weir.kafka.ShareGroupConfig;
import dev.weir.kafka.internal.share.group.ShareFaults;
import dev.weir.kafka.internal.share.member.SharePath.AcquireMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ShareConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.GroupMaxSizeReachedException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One share consumer on a thread of its own: acquires some records, waits until the pipeline has done them, tells their
 * acknowledgements, and acquires the next. Its client allows no other way: as long as one record of a poll is open, it
 * fetches nothing. So there are several share consumers.
 *
 * <p>Its parts are confined to its thread: {@link ShareConsumerFetch} asks for records, {@link ShareConsumerLocks}
 * looks after what is held, {@link ShareConsumerAcknowledgements} tells what became of it. {@link #retire},
 * {@link #close}, {@link #join}, {@link #held}, {@link #hasEnded} and {@link #unfinished} are for any thread.
 */
final class ShareConsumerThread implements Runnable {

    private static final Logger LOG = LoggerFactory.getLogger(ShareConsumerThread.class);

    /** The time a client has to leave the group. */
    static final Duration CLOSE_PATIENCE = Duration.ofSeconds(8);

    /**
     * The set-up that all share consumers of a run have in common. Immutable.
     *
     * @param name the pipeline's, for messages and threads
     * @param config of their clients, but for what a plan says
     * @param clients makes a client of a configuration
     * @param group the settings of the group, as last read; any thread
     * @param copies keeps records that are at risk, or null if nobody does
     * @param onLost told when locks were lost, on the share consumer's thread; must not block
     * @param onFailure told of a fault that waiting does not cure
     */
    record Setup(
            String name,
            Map<String, Object> config,
            List<String> topics,
            Function<Map<String, Object>, ShareConsumer<byte[], byte[]>> clients,
            Supplier<ShareGroupConfig> group,
            ReadyRecords ready,
            ShareCounters counters,
            ScoutingConsumers scouts,
            @Nullable ParkedCopies copies,
            Runnable onLost,
            Consumer<Throwable> onFailure) {

        /** Deliveries after which the group gives a record up. */
        int deliveryLimit() {
            return group.get().deliveryLimit();
        }

        /** Returns whether brokers renew locks; if not, they stand for their time all the same. */
        boolean renewsLocks() {
            return group.get().renewsLocks();
        }

        /** Hands acquired records to the pipeline; those at risk when a copy stands, if anybody keeps copies. */
        void offer(List<AcquiredRecord> acquired) {
            List<AcquiredRecord> safe = new ArrayList<>(acquired.size());
            for (AcquiredRecord record : acquired) {
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
    }

    private final Setup setup;
    private final String name;
    private final int pollRecords;
    private final AcquireMode mode;
    private final BiConsumer<ShareConsumerThread, GroupMaxSizeReachedException> onRefused;
    private final ShareConsumer<byte[], byte[]> client;
    private final HeldLocks held = new HeldLocks();
    private final ShareConsumerAcknowledgements fates;
    private final ShareConsumerFetch fetch;
    private final ShareConsumerLocks locks;
    private final Thread thread;

    private volatile boolean retired;
    private volatile boolean closing;
    private volatile long closeAtNanos;

    /**
     * Makes the client; throws if its configuration is refused.
     *
     * @param onRefused told on the share consumer's thread that the group is full, after which the share consumer ends
     * @param onJoined called once on the share consumer's thread, when the group has given it partitions
     */
    ShareConsumerThread(
            Setup setup,
            int number,
            int pollRecords,
            AcquireMode mode,
            BiConsumer<ShareConsumerThread, GroupMaxSizeReachedException> onRefused,
            Runnable onJoined) {
        this.setup = setup;
        this.pollRecords = pollRecords;
        this.mode = mode;
        this.onRefused = onRefused;
        this.name = setup.name() + ", lane " + number;
        Map<String, Object> config = new HashMap<>(setup.config());
        config.put(ConsumerConfig.CLIENT_ID_CONFIG, config.get(ConsumerConfig.CLIENT_ID_CONFIG) + "-" + number);
        config.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, pollRecords);
        config.put(ConsumerConfig.SHARE_ACQUIRE_MODE_CONFIG, mode.configured());
        this.client = setup.clients().apply(config);
        this.thread = Thread.ofPlatform().daemon().name("weir-share-" + number).unstarted(this);
        this.fates = new ShareConsumerAcknowledgements(name, setup, client, held, thread);
        this.fetch = new ShareConsumerFetch(name, mode, setup, client, held, fates, onJoined);
        this.locks = new ShareConsumerLocks(setup, held, fates, fetch);
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

    HeldLocks held() {
        return held;
    }

    /** Records that the pipeline had not finished at the close. */
    int unfinished() {
        return locks.unfinished();
    }

    /**
     * Ends when what it holds is done, and when its client asks brokers for nothing: what an open question brings is
     * acquired all the same, and would lose a delivery with the session.
     */
    void retire() {
        retired = true;
        fetch.retire();
        fates.wake();
    }

    /** Ends when what the pipeline has is done, at {@code deadlineNanos} at the latest. */
    void close(long deadlineNanos) {
        closeAtNanos = deadlineNanos;
        closing = true;
        retire();
        fetch.close();
    }

    boolean hasEnded() {
        return thread.getState() == Thread.State.TERMINATED;
    }

    /** Waits for its end; false if it takes longer. */
    boolean join(Duration patience) throws InterruptedException {
        return thread.join(patience);
    }

    @Override
    public void run() {
        try {
            fates.begin();
            client.subscribe(setup.topics());
            while (!held.isEmpty() || !retired || (fetch.isAsking() && !closing)) {
                if (held.isEmpty()) {
                    fetch.fetch();
                } else {
                    locks.attend(closing && System.nanoTime() - closeAtNanos >= 0);
                }
            }
            fates.flush();
        } catch (InterruptedException | InterruptException | WakeupException stopped) {
            LOG.debug("{} was stopped", name, stopped);
        } catch (GroupMaxSizeReachedException full) {
            onRefused.accept(this, full);
        } catch (Throwable failure) {
            setup.onFailure().accept(failure instanceof KafkaException known ? ShareFaults.explained(known) : failure);
        } finally {
            end();
        }
    }

    private void end() {
        setup.scouts().leave(fetch);
        locks.end();
        boolean ignored = Thread.interrupted();
        try {
            client.close(CLOSE_PATIENCE);
        } catch (RuntimeException failure) {
            LOG.warn("{}: its goodbye to the group failed: {}", name, failure.toString());
        }
    }
}
