package dev.weir.testkit.internal.simulation;

import dev.weir.kafka.CommitMetadata;
import dev.weir.testkit.internal.simulation.Draw.Of;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;

/**
 * A simulated partition: its records, with gaps between them, the group's commit, and this member's position. Confined
 * to the simulation's thread.
 */
final class PartitionLog {

    /** A missing commit, or a position that the client does not know yet. */
    static final long UNKNOWN = -1;

    final TopicPartition id;

    /** Identifies the partition in draws. */
    final int number;

    private final Scenario scenario;
    private final Draw draw;

    /** The record at each offset; null for a gap. */
    private final List<@Nullable ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();

    private @Nullable OffsetAndMetadata committed;

    // The fields paused and position are valid only while owned is true.
    boolean owned;
    boolean paused;
    long position = UNKNOWN;

    /** The number of the assignment, used as the leader epoch of its records. */
    int assignment;

    /** The lowest offset that the pipeline may pull next. Also accessed by the pulling thread. */
    volatile long nextToPull;

    /** True if another member has owned the partition since this member's last assignment. */
    boolean doneElsewhereSince;

    /** True if the commit's metadata marks records after the committed offset as done, which the pipeline skips. */
    volatile boolean hasHoles;

    PartitionLog(TopicPartition id, int number, Scenario scenario, Draw draw) {
        this.id = id;
        this.number = number;
        this.scenario = scenario;
        this.draw = draw;
    }

    void grow(long count) {
        for (long n = 0; n < count; n++) {
            long offset = records.size();
            boolean gap = draw.oneIn(6, Of.RECORD, number, offset);
            records.add(gap ? null : record(offset, scenario.records().make(id, offset)));
        }
    }

    private ConsumerRecord<byte[], byte[]> record(long offset, ProducerRecord<byte[], byte[]> made) {
        return new ConsumerRecord<>(
                id.topic(),
                id.partition(),
                offset,
                made.timestamp() == null ? offset : made.timestamp(),
                TimestampType.CREATE_TIME,
                length(made.key()),
                length(made.value()),
                made.key(),
                made.value(),
                made.headers(),
                Optional.empty());
    }

    private static int length(byte @Nullable [] bytes) {
        return bytes == null ? ConsumerRecord.NULL_SIZE : bytes.length;
    }

    long end() {
        return records.size();
    }

    /** Returns the offset after the last record. */
    long endOfRecords() {
        int end = records.size();
        while (end > 0 && records.get(end - 1) == null) {
            end--;
        }
        return end;
    }

    /** Returns the record at that offset; null if it is a gap or missing. */
    @Nullable
    ConsumerRecord<byte[], byte[]> at(long offset) {
        return offset < 0 || offset >= records.size() ? null : records.get((int) offset);
    }

    long committed() {
        return committed == null ? UNKNOWN : committed.offset();
    }

    @Nullable
    OffsetAndMetadata commit() {
        return committed;
    }

    void commit(OffsetAndMetadata offset) {
        committed = offset;
    }

    /** Assigns the partition to this member. The position is unknown until the client sets it. */
    void assign(int newAssignment) {
        owned = true;
        paused = false;
        assignment = newAssignment;
        doneElsewhereSince = false;
        position = UNKNOWN;
        hasHoles = committed != null && CommitMetadata.finishedPast(committed.offset(), committed.metadata()) > 0;
    }

    void seek(long offset) {
        position = offset;
        nextToPull = offset;
    }

    void release() {
        owned = false;
    }

    /**
     * Reads at most {@code most} records and advances the position. Returns copies with the number of this assignment.
     */
    List<ConsumerRecord<byte[], byte[]>> read(long most) {
        List<ConsumerRecord<byte[], byte[]>> read = new ArrayList<>();
        while (position < end() && read.size() < most) {
            ConsumerRecord<byte[], byte[]> next = at(position++);
            if (next != null) {
                read.add(stamped(next));
            }
        }
        return read;
    }

    private ConsumerRecord<byte[], byte[]> stamped(ConsumerRecord<byte[], byte[]> record) {
        return new ConsumerRecord<>(
                record.topic(),
                record.partition(),
                record.offset(),
                record.timestamp(),
                record.timestampType(),
                record.serializedKeySize(),
                record.serializedValueSize(),
                record.key(),
                record.value(),
                new RecordHeaders(record.headers()),
                Optional.of(assignment));
    }
}
