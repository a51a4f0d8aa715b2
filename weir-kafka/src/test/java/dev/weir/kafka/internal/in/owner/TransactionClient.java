package dev.weir.kafka.internal.in.owner;

import dev.weir.kafka.internal.in.owner.TransactionCluster.Input;
import dev.weir.simulation.GroupConsumer;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;

/** The consumer's client and group in a {@link TransactionWorld}. Each poll advances the simulation. */
@SuppressWarnings("UnsynchronizedOverridesSynchronized") // one thread at a time
final class TransactionClient extends GroupConsumer {

    private static final long MOST_SLEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final TransactionWorld world;
    private final TransactionCluster cluster;
    private int generation;

    /** The last generation that this member knows. */
    private int told;

    TransactionClient(TransactionWorld world) {
        super(world.random);
        this.world = world;
        this.cluster = world.cluster;
    }

    @Override
    public void restart() {
        generation++;
        cluster.inputs.values().forEach(Input::release);
        super.restart();
    }

    @Override
    protected Collection<Input> partitions() {
        return cluster.inputs.values();
    }

    @Override
    protected Input partition(TopicPartition id) {
        return cluster.input(id);
    }

    @Override
    protected boolean isCrashed() {
        return world.isCrashed();
    }

    // ---- The group -------------------------------------------------------------------------------------------------

    boolean isMember(ConsumerGroupMetadata member) {
        return member.generationId() == generation;
    }

    @Override
    protected boolean isExpelled() {
        return told != generation;
    }

    @Override
    @SuppressWarnings("removal") // the only way to create this object without a client in a group
    public ConsumerGroupMetadata groupMetadata() {
        return new ConsumerGroupMetadata("g", told, "member", Optional.empty());
    }

    /** Assigns this member's partitions to others. Its next poll reports that. */
    void expel() {
        if (isInCallback()) {
            return;
        }
        generation++;
        cluster.note("expelled");
        cluster.inputs.values().forEach(input -> input.ours = false);
    }

    @Override
    protected void released(Collection<TopicPartition> ids, boolean lost) {
        cluster.note("%s %s", lost ? "lost" : "revoked", ids);
        super.released(ids, lost);
    }

    @Override
    protected void assigning(List<TopicPartition> target) {
        told = ++generation;
        cluster.note("to have %s in generation %d", target, told);
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

    /** Holds the partition until the consumer knows its next position. */
    @Override
    public void seek(TopicPartition id, long offset) {
        cluster.input(id).held = true;
    }

    @Override
    public void seek(TopicPartition id, OffsetAndMetadata place) {
        Input input = cluster.input(id);
        boolean again = input.placed;
        cluster.note("%s goes on at %s", id, place);
        input.held = false;
        input.placed = true;
        if (!again || !cluster.has(TransactionFault.LOST_REWIND)) {
            input.position = place.offset();
        }
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
            // With the consumer protocol, a partial response leaves the missing offsets uncommitted.
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
