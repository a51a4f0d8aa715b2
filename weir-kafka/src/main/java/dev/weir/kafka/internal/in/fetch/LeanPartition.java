package dev.weir.kafka.internal.in.fetch;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** An assigned partition with records taken from lean and not handed out yet. Confined to the owner thread. */
final class LeanPartition {

    /** Value of {@link #index} while the partition is not placed there. */
    static final int NOWHERE = -1;

    final TopicPartition id;

    /** Index in the lean consumer of an {@link OwnReader}, or {@link #NOWHERE}. */
    int index = NOWHERE;

    boolean paused;

    /** The fault to throw once the records before it were handed out. */
    @Nullable
    KafkaException failure;

    /** A larger list is not kept for reuse. */
    private static final int MAX_SPARE = 1_024;

    private List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();

    /** The list last handed out as a whole, to be filled next: one per turn would be garbage. */
    private List<ConsumerRecord<byte[], byte[]>> spare = new ArrayList<>();

    /** The number of {@link #records} handed out. */
    private int handedOut;

    LeanPartition(TopicPartition id) {
        this.id = id;
    }

    void add(ConsumerRecord<byte[], byte[]> record) {
        records.add(record);
    }

    /** Records not handed out, perhaps after some that were; to be added to. */
    List<ConsumerRecord<byte[], byte[]>> records() {
        return records;
    }

    /** Adds a list, which belongs to this partition from now on. */
    void add(List<ConsumerRecord<byte[], byte[]>> more) {
        if (isEmpty()) {
            records = more;
            handedOut = 0;
        } else {
            records.addAll(more);
        }
    }

    boolean isEmpty() {
        return handedOut == records.size();
    }

    /** The offset of the next record to hand out; there must be one. */
    long nextOffset() {
        return records.get(handedOut).offset();
    }

    /** Hands out at most {@code most} records; valid until {@link #takeBack}. */
    List<ConsumerRecord<byte[], byte[]>> handOut(int most) {
        if (handedOut == 0 && records.size() <= most) {
            List<ConsumerRecord<byte[], byte[]>> all = records;
            records = spare;
            spare = all;
            return all;
        }
        int to = Math.min(records.size(), handedOut + most);
        List<ConsumerRecord<byte[], byte[]>> next = records.subList(handedOut, to);
        handedOut = to;
        if (isEmpty()) {
            drop();
        }
        return next;
    }

    /** Takes back the records handed out, which are no longer read. */
    void takeBack() {
        if (spare.size() > MAX_SPARE) {
            spare = new ArrayList<>();
        } else if (!spare.isEmpty()) {
            spare.clear();
        }
    }

    void drop() {
        records = new ArrayList<>();
        handedOut = 0;
    }
}
