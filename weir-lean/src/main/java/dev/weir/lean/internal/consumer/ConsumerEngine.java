package dev.weir.lean.internal.consumer;

import dev.weir.lean.BatchTooLargeException;
import dev.weir.lean.BatchViewHandler;
import dev.weir.lean.CorruptBatchException;
import dev.weir.lean.CorruptBatchPolicy;
import dev.weir.lean.LeanMetrics;
import dev.weir.lean.LeanSettings;
import dev.weir.lean.PartitionException;
import dev.weir.lean.RecordHandler;
import dev.weir.lean.StartAt;
import dev.weir.lean.UnsupportedBatchException;
import dev.weir.lean.internal.batch.BatchReader;
import dev.weir.lean.internal.batch.Decompressor;
import dev.weir.lean.internal.cursor.ChunkPool;
import dev.weir.lean.internal.cursor.PartitionCursor;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The implementation of {@link dev.weir.lean.LeanConsumer}. Each poll processes the connections to all brokers, and
 * then delivers fetched records. Confined to one thread, except where noted.
 */
public final class ConsumerEngine implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ConsumerEngine.class);

    private final LeanSettings settings;
    private final ConsumerContext context;
    private final PartitionLocations locations;
    private final FetchResponses fetcher;
    private final ChunkPool pool;
    private final Decompressor decompressor;
    private final BatchReader reader;
    private final List<@Nullable FetchedPartition> partitions = new ArrayList<>();
    private final List<FetchBroker> brokers = new ArrayList<>();
    private boolean delivering;
    private boolean closed;

    // The delivery in progress: its partition, and whether a handler has called endPoll
    private @Nullable FetchedPartition current;
    private boolean ended;

    /** @throws IOException if the operating system has no sockets left */
    public ConsumerEngine(LeanSettings settings) throws IOException {
        this.settings = settings;
        this.context = ConsumerContext.of(settings);
        try {
            this.locations = new PartitionLocations(context);
            // Both buffers of a connection may be full of paused records, which the pool must be able to copy.
            this.pool = new ChunkPool(2L * settings.maxFetchBytes());
            this.fetcher = new FetchResponses(context, locations, pool);
            this.locations.answerTo(fetcher);
            this.locations.addTo(this::add);
            this.decompressor = new Decompressor(settings.maxBatchBytes());
            this.reader = new BatchReader(decompressor);
        } catch (Throwable e) { // Thrown, for example, if there is not enough direct memory.
            context.transports().close();
            throw e;
        }
    }

    /** Adds a partition. Returns the lowest free index, which becomes the partition's index. */
    public int assign(String topicName, int number, StartAt start) {
        if (number < 0) {
            throw new IllegalArgumentException("partition must not be negative: partition=" + number);
        }
        FetchedTopic topic = locations.topic(topicName);
        if (topic.partition(number) != null) {
            throw new IllegalStateException(topicName + "-" + number + " is assigned already");
        }
        FetchedPartition partition = add(topic, number, start);
        locations.wantMetadata();
        return partition.cursor.index();
    }

    /**
     * Adds a partition with a start position in the topic with the given id. The position counts as lost if the topic
     * now has another id. A zero id stands for any topic of this name.
     */
    public int assign(String topicName, int number, StartAt start, Uuid topicId) {
        int index = assign(topicName, number, start);
        locations.isPlacedIn(at(index), topicId);
        return index;
    }

    /** The id of the topic that a partition's position belongs to; {@code Uuid.ZERO_UUID} while unknown. */
    public Uuid topicId(int index) {
        FetchedPartition partition = at(index);
        FetchedTopic topic = partition.topic;
        return partition.placedIn == null ? new Uuid(topic.idHigh, topic.idLow) : partition.placedIn;
    }

    /** Returns whether reading a partition has failed, even if the exception has not been thrown yet. */
    public boolean isAtFault(int index) {
        FetchedPartition partition = at(index);
        return partition.fault != null || partition.state == FetchedPartition.FAILED;
    }

    private FetchedPartition add(FetchedTopic topic, int number, StartAt start) {
        int index = partitions.indexOf(null);
        if (index < 0) {
            index = partitions.size();
            partitions.add(null);
        }
        FetchedPartition partition = new FetchedPartition(
                topic,
                number,
                new PartitionCursor(topic.name, number, index, settings.readCommitted(), settings.checkCrc(), pool));
        partition.moveTo(start);
        partitions.set(index, partition);
        topic.set(number, partition);
        return partition;
    }

    /** Adds all current and future partitions of a topic. */
    public void assignAll(String topicName, StartAt start) {
        FetchedTopic topic = locations.topic(topicName);
        if (topic.startOfAll != null) {
            throw new IllegalStateException("all partitions of " + topicName + " are assigned already");
        }
        locations.addAll(topic, start);
    }

    /** Removes all partitions of a topic, and stops adding new partitions. */
    public void unassignAll(String topicName) {
        for (int index = 0; index < partitions.size(); index++) {
            FetchedPartition partition = partitions.get(index);
            if (partition != null && partition.topic.name.equals(topicName)) {
                unassign(index);
            }
        }
        locations.forget(locations.topic(topicName));
    }

    public int index(String topicName, int number) {
        FetchedPartition partition = locations.partition(topicName, number);
        return partition == null ? -1 : partition.cursor.index();
    }

    public List<Integer> assigned() {
        List<Integer> assigned = new ArrayList<>();
        for (int index = 0; index < partitions.size(); index++) {
            if (partitions.get(index) != null) {
                assigned.add(index);
            }
        }
        return assigned;
    }

    public TopicPartition partition(int index) {
        FetchedPartition partition = at(index);
        return new TopicPartition(partition.topic.name, partition.number);
    }

    /** Removes a partition, and discards its fetched records. */
    public void unassign(int index) {
        FetchedPartition partition = at(index);
        partition.cursor.moveTo(partition.cursor.position(), -1);
        partition.fault = null;
        locations.remove(partition);
        partitions.set(index, null);
    }

    private FetchedPartition at(int index) {
        FetchedPartition partition = index >= 0 && index < partitions.size() ? partitions.get(index) : null;
        if (partition == null) {
            throw new IllegalArgumentException("no partition is assigned with this index: index=" + index);
        }
        return partition;
    }

    /** Polls all connections once, and passes fetched records to the one handler that is not null. */
    public int poll(@Nullable RecordHandler records, @Nullable BatchViewHandler batches) {
        if (delivering) {
            throw new IllegalStateException("poll was called from a handler");
        }
        if (closed) {
            throw new IllegalStateException("the consumer is closed");
        }
        long nowNanos = context.transports().nanoTime();
        fetcher.at(nowNanos);
        int work = locations.poll(nowNanos);
        // Iterate over a list by index: a map's iterator would create garbage in every poll.
        if (brokers.size() != locations.brokers().size()) {
            brokers.clear();
            brokers.addAll(locations.brokers());
        }
        for (int i = 0; i < brokers.size(); i++) {
            work += brokers.get(i).poll(nowNanos);
        }
        work += deliver(records, batches);
        for (int i = 0; i < brokers.size(); i++) {
            work += brokers.get(i).detachPaused();
        }
        return work;
    }

    private int deliver(@Nullable RecordHandler records, @Nullable BatchViewHandler batches) {
        int left = settings.maxPollRecords();
        int delivered = 0;
        delivering = true;
        ended = false;
        try {
            for (int turns = fetcher.readyCount(); turns > 0 && left > 0 && !ended; turns--) {
                FetchedPartition partition = fetcher.nextReady();
                if (partition == null) {
                    break;
                }
                current = partition;
                int count = deliver(partition, records, batches, left);
                delivered += count;
                left -= count;
            }
        } finally {
            delivering = false;
            reader.close();
        }
        return delivered;
    }

    private int deliver(
            FetchedPartition partition,
            @Nullable RecordHandler records,
            @Nullable BatchViewHandler batches,
            int limit) {
        int count = 0;
        try {
            if (!partition.paused) {
                count = partition.cursor.deliver(reader, records, batches, limit, context.counters());
            }
        } catch (CorruptBatchException | BatchTooLargeException | UnsupportedBatchException e) {
            faulty(partition, e);
            return 1;
        } finally {
            fetcher.enqueue(partition);
        }
        PartitionException fault = partition.fault;
        if (fault != null && !partition.paused && !partition.cursor.hasChunks()) {
            partition.fault = null;
            throw fault;
        }
        return count;
    }

    public void endPoll() {
        ended = true;
        if (delivering && current != null) {
            current.cursor.interrupt();
        }
    }

    private void faulty(FetchedPartition partition, PartitionException fault) {
        long behind = partition.cursor.offsetBehindBatch(partition.highWatermark);
        if (fault instanceof CorruptBatchException && settings.onCorruptBatch() == CorruptBatchPolicy.SKIP) {
            LOG.warn("{}; skipped to offset {}", fault.getMessage(), behind);
            context.counters().add(ConsumerCounters.CORRUPT, 1);
            partition.moveTo(behind, -1);
            locations.resume(partition);
            return;
        }
        byte[] bytes = partition.cursor.copyOfBatch();
        partition.moveTo(partition.cursor.position(), partition.cursor.leaderEpoch());
        partition.state = FetchedPartition.FAILED;
        partition.offsetBehindFault = behind;
        partition.bytesAtFault = bytes;
        throw fault;
    }

    public void pause(int index) {
        FetchedPartition partition = at(index);
        partition.paused = true;
        partition.cursor.interrupt();
    }

    public void resume(int index) {
        FetchedPartition partition = at(index);
        partition.paused = false;
        fetcher.enqueue(partition);
    }

    public boolean isPaused(int index) {
        return at(index).paused;
    }

    public long position(int index) {
        return at(index).cursor.position();
    }

    public int leaderEpoch(int index) {
        return at(index).cursor.leaderEpoch();
    }

    public long endOffset(int index) {
        FetchedPartition partition = at(index);
        return settings.readCommitted() ? partition.lastStableOffset : partition.highWatermark;
    }

    public int broker(int index) {
        FetchBroker broker = at(index).broker;
        return broker == null ? -1 : broker.id;
    }

    public void seek(int index, StartAt place) {
        FetchedPartition partition = at(index);
        partition.moveTo(place);
        locations.resume(partition);
    }

    /** Offset after the faulty batch, where {@link #skipBatch} continues; -1 if there is none or its end is unknown. */
    public long offsetBehindFault(int index) {
        return at(index).offsetBehindFault;
    }

    /** The bytes of the faulty batch; null if the partition has none, or if its bytes are unavailable. */
    public byte @Nullable [] bytesAtFault(int index) {
        return at(index).bytesAtFault;
    }

    public void skipBatch(int index) {
        FetchedPartition partition = at(index);
        if (partition.offsetBehindFault < 0) {
            throw new IllegalStateException(partition + " has no faulty batch with a known end; seek instead");
        }
        partition.moveTo(partition.offsetBehindFault, -1);
        locations.resume(partition);
    }

    /** Waits until there is something to do, or for {@code millis} milliseconds. */
    public void await(long millis) throws IOException {
        if (fetcher.readyCount() == 0) {
            context.transports().await(millis);
        }
    }

    /**
     * Ends the current {@link #await}. If no thread is waiting, ends the next {@code await}. May be called from any
     * thread.
     */
    public void wakeup() {
        context.transports().wakeup();
    }

    /** May be called from any thread. */
    public long throttledMillis() {
        return context.counters().throttledMillis();
    }

    /** Takes a snapshot of the counters. May be called from any thread. */
    public LeanMetrics metrics() {
        return context.counters().snapshot();
    }

    @Override
    public void close() {
        closed = true;
        for (FetchedPartition partition : partitions) {
            if (partition != null) {
                partition.cursor.moveTo(partition.cursor.position(), -1);
            }
        }
        locations.close();
        context.transports().close();
        decompressor.close();
    }
}
