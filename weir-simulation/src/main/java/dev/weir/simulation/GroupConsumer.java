package dev.weir.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;

/**
 * A simulated Kafka client for one member of a consumer group. The group assigns and revokes the member's partitions
 * during the member's polls. Confined to the simulation's thread.
 */
@SuppressWarnings("UnsynchronizedOverridesSynchronized") // only one thread at a time uses it
public abstract class GroupConsumer extends MockConsumer<byte[], byte[]> {

    protected final Random random;
    private final int maxPollRecords;
    private final boolean eager;
    private @Nullable ConsumerRebalanceListener listener;
    private boolean woken;
    private boolean inCallback;

    private boolean advanced;

    protected GroupConsumer(Random random) {
        super("earliest");
        this.random = random;
        this.eager = random.nextBoolean();
        this.maxPollRecords = 1 + random.nextInt(40);
    }

    /** Returns the maximum number of records that a poll returns. */
    public final int maxPollRecords() {
        return maxPollRecords;
    }

    /** Resets the client, as if a new process had replaced the old one. */
    public void restart() {
        listener = null;
        woken = false;
        inCallback = false;
    }

    /** Returns all partitions of the topics, in a fixed order. */
    protected abstract Collection<? extends GroupPartition> partitions();

    protected abstract GroupPartition partition(TopicPartition id);

    /** Returns whether the process has crashed. */
    protected abstract boolean isCrashed();

    protected static void require(boolean holds, Supplier<String> otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise.get());
        }
    }

    // ---- The group -------------------------------------------------------------------------------------------------

    /** Returns the partitions that the client believes it owns. */
    public final List<TopicPartition> owned() {
        return partitions().stream()
                .filter(each -> each.owned)
                .map(each -> each.id)
                .toList();
    }

    /** Returns whether the client is executing one of the consumer's callbacks. */
    public final boolean isInCallback() {
        return inCallback;
    }

    @Override
    public final void subscribe(Collection<String> topics, ConsumerRebalanceListener callback) {
        listener = callback;
    }

    /** Assigns a random selection of the partitions, or all of them, to this member. Must be called during a poll. */
    public final void rebalance(boolean all) {
        ConsumerRebalanceListener callback = listener;
        if (callback == null || inCallback) {
            return;
        }
        inCallback = true;
        List<TopicPartition> target = partitions().stream()
                .map(each -> each.id)
                .filter(id -> all || random.nextInt(3) != 0)
                .toList();
        List<TopicPartition> owned = owned();
        if (isExpelled()) {
            callback.onPartitionsLost(owned);
            released(owned, true);
        } else {
            List<TopicPartition> revoked =
                    owned.stream().filter(id -> eager || !target.contains(id)).toList();
            if (!revoked.isEmpty()) {
                revoke(callback, revoked);
                released(revoked, false);
            }
        }
        List<TopicPartition> added =
                target.stream().filter(id -> !partition(id).owned).toList();
        assigning(target);
        added.forEach(id -> partition(id).assign());
        callback.onPartitionsAssigned(added);
        inCallback = false;
    }

    /** Returns whether the group has expelled the member, which still believes that it owns its partitions. */
    protected abstract boolean isExpelled();

    /** Notifies the consumer that partitions are being revoked. */
    protected void revoke(ConsumerRebalanceListener callback, Collection<TopicPartition> ids) {
        callback.onPartitionsRevoked(ids);
    }

    /** Called when the member learns that it lost these partitions. */
    protected void released(Collection<TopicPartition> ids, boolean lost) {
        ids.forEach(id -> partition(id).release());
    }

    /** Called before the member receives the partitions of {@code target} that it does not own yet. */
    protected void assigning(List<TopicPartition> target) {}

    @Override
    public final void close(CloseOptions options) {
        ConsumerRebalanceListener callback = listener;
        if (!isCrashed() && callback != null) {
            callback.onPartitionsRevoked(owned());
        }
    }

    // ---- Records ---------------------------------------------------------------------------------------------------

    /**
     * Reads from the owned partitions in random order. Some partitions return nothing, as if their response were late.
     */
    protected final ConsumerRecords<byte[], byte[]> fetch() {
        Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> fetched = new HashMap<>();
        Map<TopicPartition, OffsetAndMetadata> next = new HashMap<>();
        int room = maxPollRecords;
        advanced = false;
        List<GroupPartition> inAnyOrder = new ArrayList<>(partitions());
        Collections.shuffle(inAnyOrder, random);
        for (GroupPartition each : inAnyOrder) {
            if (!each.owned || random.nextInt(3) == 0 || hinders(each)) {
                continue;
            }
            require(each.placed || each.paused, () -> "fetches before it is known where to continue: " + each.id);
            List<ConsumerRecord<byte[], byte[]>> records = read(each, room);
            room -= records.size();
            if (!each.held && each.placed) {
                next.put(each.id, each.place());
            }
            if (!records.isEmpty()) {
                require(!each.held, () -> "fetches though it is not known where to continue: " + each.id);
                fetched.put(each.id, records);
            }
        }
        return new ConsumerRecords<>(fetched, next);
    }

    private List<ConsumerRecord<byte[], byte[]>> read(GroupPartition from, int most) {
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        while (!from.paused && records.size() < most && from.position < from.end) {
            if (from.visible.get((int) from.position)) {
                records.add(from.record());
            }
            from.advance();
            advanced = true;
        }
        return records;
    }

    /** Returns whether the last fetch advanced a position, with or without records. */
    protected final boolean hasAdvanced() {
        return advanced;
    }

    /**
     * Returns whether fetches from this partition currently return nothing, for example because the partition has no
     * leader.
     */
    protected boolean hinders(GroupPartition partition) {
        return false;
    }

    @Override
    public final void wakeup() {
        woken = true;
    }

    protected final void throwIfWoken() {
        if (woken) {
            woken = false;
            throw new WakeupException();
        }
    }

    @Override
    public final long position(TopicPartition id, Duration timeout) {
        throw new AssertionError("a client that is asked for a position may swallow what its poll was to throw");
    }

    @Override
    public final void pause(Collection<TopicPartition> ids) {
        ids.forEach(id -> paused(id, true));
    }

    @Override
    public void resume(Collection<TopicPartition> ids) {
        ids.forEach(id -> paused(id, false));
    }

    private void paused(TopicPartition id, boolean to) {
        GroupPartition partition = partition(id);
        require(partition.owned, () -> "pause or resume of what it does not have: " + id);
        require(to || partition.paused, () -> id + " resumed though it was not paused");
        partition.paused = to;
    }

    @Override
    public final OptionalLong currentLag(TopicPartition id) {
        GroupPartition partition = partition(id);
        return partition.placed ? OptionalLong.of(partition.end - partition.position) : OptionalLong.empty();
    }
}
