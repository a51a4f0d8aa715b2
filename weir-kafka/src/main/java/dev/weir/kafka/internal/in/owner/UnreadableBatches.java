package dev.weir.kafka.internal.in.owner;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.RecordDecodeException;
import dev.weir.kafka.internal.in.buffer.AssignedPartition;
import dev.weir.kafka.internal.in.buffer.BatchEmission;
import dev.weir.kafka.internal.in.buffer.ConsumerPlan;
import dev.weir.kafka.internal.in.buffer.DroppedRecords.Reason;
import dev.weir.kafka.internal.in.buffer.FlowControl;
import dev.weir.kafka.internal.in.buffer.PartitionAssignment;
import dev.weir.kafka.internal.in.fetch.LogPosition;
import dev.weir.kafka.internal.in.fetch.RecordFetcher;
import dev.weir.kafka.internal.in.fetch.UnreadableBatch;
import dev.weir.kafka.internal.in.lookup.ConsumerLog;
import dev.weir.lean.CorruptBatchException;
import dev.weir.stream.spi.Thrown;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/** Applies the configured policy to unreadable batches. Confined to the owner thread. */
final class UnreadableBatches {

    private static final ConsumerLog LOG = ConsumerLog.of(UnreadableBatches.class);

    private static final String WAY_OUT =
            "raise maxBatchBytes if it is too large for that, or set unreadableBatches to SKIP, or to DEAD_LETTER with a"
                    + " KafkaFlow that has a dead-letter topic";

    private static final String WAY_OUT_WITHOUT_END =
            "where the batch ends is unknown, so that it cannot be left out: raise maxBatchBytes if it is too large for"
                    + " that, or have the group continue behind it with kafka-consumer-groups --reset-offsets --to-offset";

    /** The last batch handled in a partition: its base offset (-1 if unknown) and the offset after it. */
    private record Passed(long baseOffset, long nextOffset) {}

    private final Map<TopicPartition, Passed> passed = new HashMap<>();

    private final ConsumerSettings.UnreadableBatches policy;
    private final PartitionAssignment assignment;
    private final BatchEmission emission;
    private final FlowControl flow;
    private final RecordFetcher fetcher;

    private UnreadableBatches(
            ConsumerSettings.UnreadableBatches policy,
            PartitionAssignment assignment,
            BatchEmission emission,
            FlowControl flow,
            RecordFetcher fetcher) {
        this.policy = policy;
        this.assignment = assignment;
        this.emission = emission;
        this.flow = flow;
        this.fetcher = fetcher;
    }

    /**
     * Applies the policy from the settings. Changes DEAD_LETTER to FAIL if the pipeline cannot handle an unreadable
     * batch as a record.
     */
    static UnreadableBatches by(
            ConsumerSettings<?, ?> settings,
            ConsumerPlan plan,
            PartitionAssignment assignment,
            BatchEmission emission,
            FlowControl flow,
            RecordFetcher fetcher) {
        boolean fails = settings.unreadableBatches() == ConsumerSettings.UnreadableBatches.DEAD_LETTER
                && !plan.delivery().takesUnreadable();
        return new UnreadableBatches(
                fails ? ConsumerSettings.UnreadableBatches.FAIL : settings.unreadableBatches(),
                assignment,
                emission,
                flow,
                fetcher);
    }

    /** Handles an unreadable batch, after all earlier records of its partition were handed out. */
    void found(UnreadableBatch batch) {
        TopicPartition id = new TopicPartition(batch.topic(), batch.partition());
        AssignedPartition partition = assignment.get(id);
        if (partition == null || partition.isHeld() || fetcher.position(id) > batch.offset()) {
            return; // found before a seek
        }
        if (policy == ConsumerSettings.UnreadableBatches.FAIL || !batch.hasEnd()) {
            throw new RecordDecodeException(
                    batch.topic(),
                    batch.partition(),
                    batch.offset(),
                    batch.cause(),
                    batch.hasEnd() ? WAY_OUT : WAY_OUT_WITHOUT_END);
        }
        if (isRestOfPassed(id, batch)) {
            String text = "{} offsets {} to {} are left out, as the rest of the damaged batch before them";
            if (batch.isWithoutBytes()) { // only an assumption
                LOG.warn(text, id, batch.offset(), batch.nextOffset() - 1);
            } else {
                LOG.debug(text, id, batch.offset(), batch.nextOffset() - 1);
            }
            leaveOut(partition, id, batch);
        } else {
            pass(partition, id, batch);
        }
        passed.keySet().retainAll(assignment.byId().keySet());
        passed.put(id, new Passed(batch.baseOffset(), batch.nextOffset()));
        fetcher.seek(id, LogPosition.at(batch.nextOffset()));
        partition.advance();
        flow.afterFetch(partition, fetcher);
    }

    /**
     * Returns whether this batch is the remainder of the previous unreadable batch. A damaged header may contain too
     * low an end offset.
     */
    private boolean isRestOfPassed(TopicPartition id, UnreadableBatch batch) {
        Passed before = passed.get(id);
        if (before == null || before.nextOffset != batch.offset()) {
            return false;
        }
        return batch.isWithoutBytes()
                ? batch.cause() instanceof CorruptBatchException
                : before.baseOffset == batch.baseOffset();
    }

    private void leaveOut(AssignedPartition partition, TopicPartition id, UnreadableBatch batch) {
        emission.leaveOut(partition, batch.offset(), batch.nextOffset());
        assignment.dropped().skip(id, batch.offset(), batch.nextOffset(), Reason.UNREADABLE);
    }

    private void pass(AssignedPartition partition, TopicPartition id, UnreadableBatch batch) {
        if (policy == ConsumerSettings.UnreadableBatches.SKIP) {
            LOG.warn(
                    "{} offsets {} to {} are left out, as unreadableBatches=SKIP says: {}",
                    id,
                    batch.offset(),
                    batch.nextOffset() - 1,
                    Thrown.reason(batch.cause()));
            leaveOut(partition, id, batch);
        } else {
            LOG.warn(
                    "{} offsets {} to {} continue as one record that cannot be decoded: {}",
                    id,
                    batch.offset(),
                    batch.nextOffset() - 1,
                    Thrown.reason(batch.cause()));
            emission.emit(partition, List.of(batch.element()));
            emission.announce();
        }
    }
}
