package dev.weir.kafka.internal.consumer;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.RecordDecodeException;
import dev.weir.kafka.internal.buffer.AssignedPartition;
import dev.weir.kafka.internal.buffer.Assignment;
import dev.weir.kafka.internal.buffer.DroppedRecords.Reason;
import dev.weir.kafka.internal.buffer.Emission;
import dev.weir.kafka.internal.buffer.FlowControl;
import dev.weir.kafka.internal.buffer.Plan;
import dev.weir.kafka.internal.fetch.Fetcher;
import dev.weir.kafka.internal.fetch.LogPosition;
import dev.weir.kafka.internal.fetch.UnreadableBatch;
import dev.weir.kafka.internal.lookup.ConsumerLog;
import java.util.List;
import org.apache.kafka.common.TopicPartition;

/**
 * Decides, by the policy for it, what becomes of batches that cannot be read, on both fetch paths. Confined to the
 * owner thread.
 */
final class UnreadableBatches {

    private static final ConsumerLog LOG = ConsumerLog.of(UnreadableBatches.class);

    private static final String WAY_OUT =
            "raise maxBatchBytes if it is too large for that, or set unreadableBatches to SKIP, or to DEAD_LETTER with a"
                    + " KafkaFlow that has a dead-letter topic";

    private final ConsumerSettings.UnreadableBatches policy;
    private final Assignment assignment;
    private final Emission emission;
    private final FlowControl flow;
    private final Fetcher fetcher;

    private UnreadableBatches(
            ConsumerSettings.UnreadableBatches policy,
            Assignment assignment,
            Emission emission,
            FlowControl flow,
            Fetcher fetcher) {
        this.policy = policy;
        this.assignment = assignment;
        this.emission = emission;
        this.flow = flow;
        this.fetcher = fetcher;
    }

    /** By the settings' policy; a pipeline that cannot take such a batch as a record fails instead. */
    static UnreadableBatches by(
            ConsumerSettings<?, ?> settings,
            Plan plan,
            Assignment assignment,
            Emission emission,
            FlowControl flow,
            Fetcher fetcher) {
        boolean fails = settings.unreadableBatches() == ConsumerSettings.UnreadableBatches.DEAD_LETTER
                && !plan.takesUnreadable();
        return new UnreadableBatches(
                fails ? ConsumerSettings.UnreadableBatches.FAIL : settings.unreadableBatches(),
                assignment,
                emission,
                flow,
                fetcher);
    }

    /** A poll has found one, and all before it in its partition was handed out. */
    void found(UnreadableBatch batch) {
        TopicPartition id = new TopicPartition(batch.topic(), batch.partition());
        AssignedPartition partition = assignment.get(id);
        if (partition == null || partition.isHeld() || fetcher.position(id) > batch.offset()) {
            return; // Of before a seek.
        }
        switch (policy) {
            case FAIL ->
                throw new RecordDecodeException(
                        batch.topic(), batch.partition(), batch.offset(), batch.cause(), WAY_OUT);
            case SKIP -> {
                LOG.warn(
                        "{} offsets {} to {} are left out, as unreadableBatches=SKIP says: {}",
                        id,
                        batch.offset(),
                        batch.nextOffset() - 1,
                        batch.cause().getMessage());
                emission.leaveOut(partition, batch.offset(), batch.nextOffset());
                assignment.dropped().skip(id, batch.offset(), batch.nextOffset(), Reason.UNREADABLE);
            }
            case DEAD_LETTER -> {
                LOG.warn(
                        "{} offsets {} to {} go on as one record that cannot be decoded: {}",
                        id,
                        batch.offset(),
                        batch.nextOffset() - 1,
                        batch.cause().getMessage());
                emission.emit(partition, List.of(batch));
            }
        }
        fetcher.seek(id, LogPosition.at(batch.nextOffset()));
        partition.advance();
        flow.afterFetch(partition, fetcher);
    }
}
