package dev.weir.simulation;

import java.util.BitSet;
import java.util.Optional;
import java.util.Random;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;

/**
 * A partition as seen by a member's client: the offsets with records, and the member's position. Confined to the
 * simulation's thread.
 */
public class GroupPartition {

    private static final RecordHeaders NO_HEADERS = new RecordHeaders();

    /** On average, one in this many offsets is a gap. */
    private static final int GAPS = 5;

    public final TopicPartition id;

    /** The offsets that have a record visible to consumers; all others are gaps. */
    public final BitSet visible = new BitSet();

    /** The offset of the next record to be written. */
    public int end;

    /** True while the client believes that the member owns the partition. */
    public boolean owned;

    public boolean paused;

    /** True while the consumer does not know its start offset. Fetches then return no records. */
    public boolean held;

    /** True if the consumer has set a position since the partition was assigned. */
    public boolean placed;

    public long position;

    /** Creates an empty partition. */
    public GroupPartition(TopicPartition id) {
        this.id = id;
    }

    /** Appends offsets. Some of them, chosen at random, become gaps. */
    public void grow(Random random, int offsets) {
        for (int i = 0; i < offsets; i++) {
            if (random.nextInt(GAPS) != 0) {
                visible.set(end);
            }
            end++;
        }
    }

    /** Assigns the partition to the member. */
    public void assign() {
        owned = true;
        paused = false;
        held = false;
        placed = false;
    }

    /** Revokes the partition from the member. */
    public void release() {
        owned = false;
    }

    /** Returns the record at the position. */
    protected ConsumerRecord<byte[], byte[]> record() {
        return record(new byte[0], 0);
    }

    /** Returns a record at the position with the given value and leader epoch. */
    protected final ConsumerRecord<byte[], byte[]> record(byte[] value, int leaderEpoch) {
        return new ConsumerRecord<>(
                id.topic(),
                id.partition(),
                position,
                ConsumerRecord.NO_TIMESTAMP,
                TimestampType.NO_TIMESTAMP_TYPE,
                0,
                value.length,
                null,
                value,
                NO_HEADERS,
                Optional.of(leaderEpoch));
    }

    /** Moves the position to the next offset. */
    protected void advance() {
        position++;
    }

    /** Returns the position, as reported in the result of a poll. */
    protected OffsetAndMetadata place() {
        return new OffsetAndMetadata(position, Optional.of(0), "");
    }
}
