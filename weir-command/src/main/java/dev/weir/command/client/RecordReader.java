package dev.weir.command.client;

import dev.weir.command.terminal.CliFailure;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * A consumer of assigned partitions. After a poll has run out of memory, it reads single records. If one record
 * exhausts the heap, {@link #poll} has returned all records before it, and names it in an exception. Confined to one
 * thread, except for {@link #wakeup}.
 */
public final class RecordReader implements AutoCloseable {

    /** Length of a partition's turn while records are read singly, even without a record. */
    private static final Duration LONGEST_TURN = Duration.ofMillis(200);

    /** Longest turn of a partition whose next record has not arrived. */
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(30);

    private final Map<String, Object> config;
    private final Function<Map<String, Object>, Consumer<byte[], byte[]>> clients;
    private final Function<TopicPartition, String> wayPast;
    private final LongSupplier clock;

    private volatile Consumer<byte[], byte[]> consumer;

    /** Positions of the next poll. The client's positions are after the records that it has lost. */
    private final Map<TopicPartition, Long> next = new HashMap<>();

    /** Partitions in the order of their turns; empty until a poll has run out of memory. */
    private final ArrayDeque<TopicPartition> turns = new ArrayDeque<>();

    private long turnBeganNanos;

    RecordReader(
            Map<String, Object> config,
            Function<Map<String, Object>, Consumer<byte[], byte[]>> clients,
            Function<TopicPartition, String> wayPast,
            LongSupplier clock) {
        this.config = config;
        this.clients = clients;
        this.wayPast = wayPast;
        this.clock = clock;
        this.consumer = clients.apply(config);
    }

    /**
     * Opens a reader without partitions.
     *
     * @param wayPast returns advice on how to skip a record that does not fit into the heap
     */
    public static RecordReader open(
            ClusterClients clients, Map<String, Object> config, Function<TopicPartition, String> wayPast) {
        return new RecordReader(
                config,
                each -> clients.configured(
                        () -> new KafkaConsumer<>(each, new ByteArrayDeserializer(), new ByteArrayDeserializer())),
                wayPast,
                System::nanoTime);
    }

    /**
     * Returns the nearest offset of a log. The beginning may be past the end, because a log that was queried twice may
     * have lost records in between.
     */
    public static long nearest(long offset, long beginning, long end) {
        return Math.max(beginning, Math.min(offset, end));
    }

    /** The current client, which a poll may replace. Poll and seek through this class only. */
    public Consumer<byte[], byte[]> consumer() {
        return consumer;
    }

    /** Continues at an offset. Must be called for each assigned partition before the first poll. */
    public void seek(TopicPartition id, long offset) {
        consumer.seek(id, offset);
        next.put(id, offset);
    }

    /** Reads nothing more from a partition. A later poll needs at least one other partition. */
    public void leaveOut(TopicPartition id) {
        consumer.pause(Set.of(id));
        next.remove(id);
        if (id.equals(turns.peekFirst())) {
            turnBeganNanos = clock.getAsLong();
        }
        turns.remove(id);
    }

    /**
     * Returns the next records. Returns none if the poll ran out of memory; the next poll then reads single records.
     *
     * @throws CliFailure if a single record does not fit into the heap
     */
    public ConsumerRecords<byte[], byte[]> poll(Duration time) {
        TopicPartition alone = turns.isEmpty() ? null : turns.getFirst();
        if (alone != null) {
            consumer.pause(consumer.assignment());
            consumer.resume(Set.of(alone));
        }
        try {
            ConsumerRecords<byte[], byte[]> records =
                    consumer.poll(alone == null || time.compareTo(LONGEST_TURN) < 0 ? time : LONGEST_TURN);
            records.nextOffsets().forEach((id, position) -> next.put(id, position.offset()));
            if (alone != null && isTurnOver(alone, records.isEmpty())) {
                turns.addLast(turns.removeFirst());
                turnBeganNanos = clock.getAsLong();
                dropFetched(alone);
            }
            return records;
        } catch (OutOfMemoryError full) {
            if (alone != null) {
                throw tooLarge(alone, consumer.position(alone), full);
            }
            readSingly();
            return ConsumerRecords.empty();
        }
    }

    private boolean isTurnOver(TopicPartition id, boolean isEmpty) {
        if (isEmpty && consumer.currentLag(id).orElse(1) <= 0) {
            return true;
        }
        Duration longest = isEmpty ? LONGEST_WAIT : LONGEST_TURN;
        return clock.getAsLong() - turnBeganNanos >= longest.toNanos();
    }

    /** Drops the fetched records of a paused partition. The heap may have space for only one batch. */
    private void dropFetched(TopicPartition id) {
        Set<TopicPartition> others = new HashSet<>(turns);
        others.remove(id);
        if (!others.isEmpty()) {
            long position = consumer.position(id);
            consumer.assign(others);
            consumer.assign(turns);
            consumer.seek(id, position);
        }
    }

    /** Returns the failure for a record whose copies do not fit into the heap. */
    public CliFailure tooLarge(TopicPartition id, long offset, OutOfMemoryError full) {
        return CliFailure.work(
                "record " + id + "@" + offset + " does not fit into the heap of "
                        + (Runtime.getRuntime().maxMemory() >> 20) + " MB",
                "Give the command more heap (WEIR_OPTS=-Xmx1g). " + wayPast.apply(id),
                full);
    }

    /** Replaces the client by one that fetches one batch and returns one record at a time. */
    private void readSingly() {
        consumer.close(); // frees what it has fetched
        Map<String, Object> single = new HashMap<>(config);
        single.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 1);
        single.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, 1);
        consumer = clients.apply(single);
        consumer.assign(next.keySet());
        next.forEach(consumer::seek);
        turns.addAll(next.keySet());
        turnBeganNanos = clock.getAsLong();
    }

    /**
     * Makes the running poll throw. If no poll is running, makes the next poll throw. May be called from any thread.
     */
    public void wakeup() {
        consumer.wakeup();
    }

    @Override
    public void close() {
        consumer.close();
    }
}
