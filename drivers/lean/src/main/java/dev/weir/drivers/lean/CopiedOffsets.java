package dev.weir.drivers.lean;

import dev.weir.driver.Pass;
import dev.weir.lean.SendException;
import dev.weir.lean.SendListener;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLongArray;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * Offsets up to which each partition is copied. The producer's thread reports them; the main thread commits them.
 *
 * <p>A record's token is its offset, and its copy goes to the same partition number. The producer reports the records
 * of a partition in order, so all records before the last acknowledged one are in the output, unless one was refused.
 * The pass then fails before a later record is reported, and nothing more is committed.
 */
final class CopiedOffsets implements SendListener {
    private final Pass pass;
    private final AtomicLongArray next; // by partition: the offset after the last acknowledged record, or 0
    private final long[] committed; // confined to the main thread

    CopiedOffsets(Pass pass) {
        this.pass = pass;
        this.next = new AtomicLongArray(pass.configuration().partitions());
        this.committed = new long[next.length()];
    }

    @Override
    public void acknowledged(long token, String topic, int partition, long offset) {
        next.setRelease(partition, token + 1);
    }

    @Override
    public void failed(long token, SendException why) {
        pass.fail(why);
    }

    /** Commits the offsets of all records acknowledged so far. Throws if a record was refused. */
    void commit(Consumer<?, ?> consumer) {
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        for (int partition = 0; partition < committed.length; partition++) {
            long copied = next.getAcquire(partition);
            if (copied > committed[partition]) {
                committed[partition] = copied;
                offsets.put(new TopicPartition(pass.configuration().topic(), partition), new OffsetAndMetadata(copied));
            }
        }
        // Check for failures after reading the offsets, because an offset read here may already be past a refused
        // record.
        pass.requireNoFailure();
        if (!offsets.isEmpty()) {
            consumer.commitSync(offsets);
        }
    }
}
