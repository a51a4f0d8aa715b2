package dev.weir.kafka.internal.share.member;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The records that a share consumer holds the locks of. Confined to the share consumer's thread, but for
 * {@link #stretches} and {@link #lockMillis}.
 */
final class HeldLocks {

    /** A range of offsets, both ends included. */
    record Stretch(long first, long last) {}

    private final Map<TopicPartition, TreeMap<Long, AcquiredRecord>> records = new HashMap<>();
    private int size;

    private volatile int lockMillis;
    private volatile Map<TopicPartition, Stretch> stretches = Map.of();

    void add(AcquiredRecord record) {
        AcquiredRecord before = records.computeIfAbsent(partition(record), each -> new TreeMap<>())
                .put(record.offset(), record);
        if (before == null) {
            size++;
        }
    }

    @Nullable
    AcquiredRecord find(ConsumerRecord<?, ?> record) {
        return find(partition(record), record.offset());
    }

    @Nullable
    AcquiredRecord find(TopicPartition partition, long offset) {
        Map<Long, AcquiredRecord> ofPartition = records.get(partition);
        return ofPartition == null ? null : ofPartition.get(offset);
    }

    /** Takes a record out; false if it is not, or no longer, this one. */
    boolean remove(AcquiredRecord record) {
        TopicPartition partition = partition(record);
        Map<Long, AcquiredRecord> ofPartition = records.get(partition);
        if (ofPartition == null || !ofPartition.remove(record.offset(), record)) {
            return false;
        }
        if (ofPartition.isEmpty()) {
            records.remove(partition);
        }
        size--;
        return true;
    }

    boolean contains(AcquiredRecord record) {
        return find(record) == record;
    }

    boolean isEmpty() {
        return size == 0;
    }

    /** Records for which {@code test} holds; a copy. */
    List<AcquiredRecord> all(Predicate<AcquiredRecord> test) {
        List<AcquiredRecord> found = new ArrayList<>();
        for (TreeMap<Long, AcquiredRecord> ofPartition : records.values()) {
            for (AcquiredRecord record : ofPartition.values()) {
                if (test.test(record)) {
                    found.add(record);
                }
            }
        }
        return found;
    }

    /** Shows where the records lie to {@link #stretches}. */
    void publish() {
        Map<TopicPartition, Stretch> now = new HashMap<>();
        records.forEach((partition, ofPartition) ->
                now.put(partition, new Stretch(ofPartition.firstKey(), ofPartition.lastKey())));
        stretches = now;
    }

    /** The places of the records when the share consumer published them last. Any thread. */
    Map<TopicPartition, Stretch> stretches() {
        return stretches;
    }

    /** The brokers have said for how long they lend. */
    void lentFor(int millis) {
        lockMillis = millis;
    }

    /** The time for which records are acquired, in milliseconds; 0 as long as it is not known. Any thread. */
    int lockMillis() {
        return lockMillis;
    }

    long lockNanos() {
        return TimeUnit.MILLISECONDS.toNanos(lockMillis);
    }

    boolean isExpired(AcquiredRecord record) {
        return System.nanoTime() - record.lockedSinceNanos() >= lockNanos();
    }

    private static TopicPartition partition(ConsumerRecord<?, ?> record) {
        return new TopicPartition(record.topic(), record.partition());
    }
}
