package dev.weir.kafka.internal.consumer;

import dev.weir.kafka.internal.consumer.TransactionCluster.Input;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;

/** The consumer's client and its group in a {@link TransactionWorld}, which acts while this polls. */
@SuppressWarnings("UnsynchronizedOverridesSynchronized") // one thread at a time
final class TransactionClient extends MockConsumer<byte[], byte[]> {

    private static final RecordHeaders NO_HEADERS = new RecordHeaders();
    private static final long MOST_SLEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    final int maxPollRecords;
    private final TransactionWorld world;
    private final TransactionCluster cluster;
    private final Random random;
    private final boolean eager;
    private @Nullable ConsumerRebalanceListener listener;
    private boolean woken;
    private int generation;

    /** The last one that this member was told. */
    private int told;

    private boolean inCallback;

    TransactionClient(TransactionWorld world) {
        super("earliest");
        this.world = world;
        this.cluster = world.cluster;
        this.random = world.random;
        this.eager = random.nextBoolean();
        this.maxPollRecords = 1 + random.nextInt(40);
    }

    /** Another process takes the place of this one. */
    void restart() {
        generation++;
        cluster.inputs.values().forEach(input -> {
            input.ours = false;
            input.owned = false;
        });
        listener = null;
        woken = false;
        inCallback = false;
    }

    // ---- The group -------------------------------------------------------------------------------------------------

    boolean isMember(ConsumerGroupMetadata member) {
        return member.generationId() == generation;
    }

    boolean isExpelled() {
        return told != generation;
    }

    @Override
    @SuppressWarnings("removal") // the client gives one out to members of a group only
    public ConsumerGroupMetadata groupMetadata() {
        return new ConsumerGroupMetadata("g", told, "member", Optional.empty());
    }

    @Override
    public void subscribe(Collection<String> topics, ConsumerRebalanceListener callback) {
        listener = callback;
    }

    private List<TopicPartition> owned() {
        return cluster.inputs.values().stream()
                .filter(input -> input.owned)
                .map(input -> input.id)
                .toList();
    }

    /** The group gives its partitions to others, of which the member hears when it polls. */
    void expel() {
        if (inCallback) {
            return;
        }
        generation++;
        cluster.note("expelled");
        cluster.inputs.values().forEach(input -> input.ours = false);
    }

    /** The group shares its partitions out anew; within a poll. */
    void rebalance(boolean all) {
        ConsumerRebalanceListener callback = listener;
        if (callback == null || inCallback) {
            return;
        }
        inCallback = true;
        List<TopicPartition> target = cluster.inputs.keySet().stream()
                .filter(id -> all || random.nextInt(3) != 0)
                .toList();
        List<TopicPartition> owned = owned();
        if (isExpelled()) {
            cluster.note("lost %s", owned);
            callback.onPartitionsLost(owned);
            release(owned);
        } else {
            List<TopicPartition> revoked =
                    owned.stream().filter(id -> eager || !target.contains(id)).toList();
            if (!revoked.isEmpty()) {
                cluster.note("to be revoked %s", revoked);
                callback.onPartitionsRevoked(revoked);
                cluster.note("revoked %s", revoked);
                release(revoked);
            }
        }
        told = ++generation;
        List<TopicPartition> added =
                target.stream().filter(id -> !cluster.input(id).owned).toList();
        added.forEach(this::assign);
        cluster.note("assigned %s in generation %d", added, told);
        callback.onPartitionsAssigned(added);
        inCallback = false;
    }

    private void assign(TopicPartition id) {
        Input input = cluster.input(id);
        input.ours = true;
        input.owned = true;
        input.paused = false;
        input.held = false;
        input.opened = false;
        input.position = Math.max(0, input.committed);
    }

    private void release(Collection<TopicPartition> ids) {
        for (TopicPartition id : ids) {
            cluster.input(id).owned = false;
            cluster.input(id).ours = false;
        }
    }

    @Override
    public void close(CloseOptions options) {
        ConsumerRebalanceListener callback = listener;
        if (!world.isCrashed() && callback != null) {
            inCallback = true;
            callback.onPartitionsRevoked(owned());
            inCallback = false;
        }
    }

    // ---- Records ---------------------------------------------------------------------------------------------------

    @Override
    public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
        throwIfWoken();
        world.befall();
        for (int acts = random.nextInt(4); acts > 0; acts--) {
            world.act();
        }
        if (!world.isCalm() && random.nextInt(100) == 0) {
            throw new TimeoutException("a broker is slow");
        }
        ConsumerRecords<byte[], byte[]> records = fetch();
        if (records.isEmpty() && !timeout.isZero()) {
            throwIfWoken();
            world.passAtMost(Math.min(timeout.toNanos(), MOST_SLEEP_NANOS));
            throwIfWoken();
        }
        return records;
    }

    private ConsumerRecords<byte[], byte[]> fetch() {
        Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> fetched = new HashMap<>();
        Map<TopicPartition, OffsetAndMetadata> next = new HashMap<>();
        int room = maxPollRecords;
        List<Input> inAnyOrder = new ArrayList<>(cluster.inputs.values());
        Collections.shuffle(inAnyOrder, random);
        for (Input input : inAnyOrder) {
            if (!input.owned || input.held || random.nextInt(3) == 0) {
                continue;
            }
            List<ConsumerRecord<byte[], byte[]>> list = new ArrayList<>();
            while (!input.paused && room > 0 && input.position < input.end) {
                if (input.visible.get((int) input.position)) {
                    list.add(record(input));
                    room--;
                }
                input.position++;
            }
            next.put(input.id, new OffsetAndMetadata(input.position, Optional.of(0), ""));
            if (!list.isEmpty()) {
                fetched.put(input.id, list);
            }
        }
        return new ConsumerRecords<>(fetched, next);
    }

    private static ConsumerRecord<byte[], byte[]> record(Input input) {
        return new ConsumerRecord<>(
                input.id.topic(),
                input.id.partition(),
                input.position,
                ConsumerRecord.NO_TIMESTAMP,
                TimestampType.NO_TIMESTAMP_TYPE,
                0,
                0,
                null,
                new byte[0],
                NO_HEADERS,
                Optional.of(0));
    }

    @Override
    public void wakeup() {
        woken = true;
    }

    private void throwIfWoken() {
        if (woken) {
            woken = false;
            throw new WakeupException();
        }
    }

    /** The consumer holds a partition until it knows where to go on. */
    @Override
    public void seek(TopicPartition id, long offset) {
        cluster.input(id).held = true;
    }

    @Override
    public void seek(TopicPartition id, OffsetAndMetadata place) {
        Input input = cluster.input(id);
        boolean again = input.opened;
        cluster.note("%s goes on at %s", id, place);
        input.held = false;
        input.opened = true;
        if (!again || !cluster.has(TransactionFault.LOST_REWIND)) {
            input.position = place.offset();
        }
    }

    @Override
    public long position(TopicPartition id, Duration timeout) {
        throw new AssertionError("a client that is asked for a position may swallow what its poll was to throw");
    }

    @Override
    public void pause(Collection<TopicPartition> ids) {
        ids.forEach(id -> cluster.input(id).paused = true);
    }

    @Override
    public void resume(Collection<TopicPartition> ids) {
        ids.forEach(id -> cluster.input(id).paused = false);
    }

    @Override
    public OptionalLong currentLag(TopicPartition id) {
        return OptionalLong.empty();
    }

    // ---- Commits ---------------------------------------------------------------------------------------------------

    @Override
    public void commitAsync(Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback) {
        throw new AssertionError("commits without a transaction: " + offsets);
    }

    @Override
    public void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
        throw new AssertionError("commits without a transaction: " + offsets);
    }

    @Override
    public Map<TopicPartition, OffsetAndMetadata> committed(Set<TopicPartition> ids, Duration timeout) {
        throwIfWoken();
        boolean late = !world.isCalm() && random.nextInt(10) == 0;
        if (late || ids.stream().anyMatch(cluster::isPending)) {
            boolean isPart = ids.stream().noneMatch(cluster::isPending) && random.nextBoolean();
            world.pass(timeout.toNanos());
            world.serveWhileWaiting();
            if (!isPart) {
                throw new TimeoutException("no stable offsets");
            }
            // The client of the consumer protocol tells what it has by then, and of the others that there is nothing.
            return commitsOf(ids.stream()
                    .sorted(Comparator.comparingInt(TopicPartition::partition))
                    .filter(id -> random.nextBoolean()));
        }
        return commitsOf(ids.stream());
    }

    private Map<TopicPartition, OffsetAndMetadata> commitsOf(Stream<TopicPartition> ids) {
        return ids.map(cluster::input)
                .filter(input -> input.committed >= 0)
                .collect(Collectors.toMap(
                        input -> input.id,
                        input -> new OffsetAndMetadata(
                                input.committed, Optional.of(0), Objects.requireNonNull(input.text))));
    }
}
