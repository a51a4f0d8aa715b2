package dev.weir.lean.share;

import dev.weir.lean.internal.wire.FailureText;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.message.ShareFetchResponseData.AcquiredRecords;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.jspecify.annotations.Nullable;

/**
 * Acknowledges the acquired offsets of unreadable batches as the receiver decides. If the receiver does not skip a
 * batch, one record represents the batch, and all its offsets get that record's acknowledgement. Confined to the
 * member's thread.
 */
final class UnreadableParts {

    /** Number of finished batches to remember. Later parts of these batches are rejected. */
    private static final int REMEMBERED = 1000;

    private record Id(TopicIdPartition partition, long baseOffset) {}

    /** An unreadable batch passed on as a single record that is in flight, and the batch's other acquired offsets. */
    private static final class Passed {

        private final Id id;
        private final LockedRecord record;
        private final List<RestOfBatch> rest = new ArrayList<>();
        private @Nullable AcknowledgeType outcome;

        Passed(Id id, LockedRecord record) {
            this.id = id;
            this.record = record;
        }
    }

    private final AcquiredRecordReceiver receiver;
    private final List<Passed> inFlight = new ArrayList<>();

    private final Map<Id, Boolean> finished = new LinkedHashMap<>() {

        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Id, Boolean> eldest) {
            return size() > REMEMBERED;
        }
    };

    UnreadableParts(AcquiredRecordReceiver receiver) {
        this.receiver = receiver;
    }

    /**
     * Applies the receiver's decision to the acquired offsets of a batch.
     *
     * @param ranges the acquired ranges, matching {@code acquired} by index
     * @throws RuntimeException the receiver's exception, if it neither skips the batch nor passes it on
     */
    void found(
            AcquiredRanges of,
            RecordBatch batch,
            List<AcquiredRange> ranges,
            List<AcquiredRecords> acquired,
            RuntimeException fault) {
        KafkaException cause = named(of, batch, fault);
        Id id = new Id(of.id, batch.baseOffset());
        boolean skips = receiver.skipsUnreadable(of.id.topicPartition(), batch.baseOffset(), cause);
        if (skips || finished.containsKey(id)) {
            ranges.forEach(range -> range.reject(batch.baseOffset(), batch.lastOffset()));
            if (skips) {
                ranges.forEach(range -> skipped(of, batch, range));
            }
            return;
        }
        Passed passed = inFlight(id, ranges);
        for (int i = 0; i < ranges.size(); i++) {
            AcquiredRange range = ranges.get(i);
            long last = Math.min(range.last, batch.lastOffset());
            for (long offset = Math.max(range.first, batch.baseOffset()); offset <= last; offset++) {
                if (passed == null) {
                    passed = new Passed(
                            id,
                            receive(
                                    of,
                                    batch,
                                    range,
                                    offset,
                                    cause,
                                    acquired.get(i).deliveryCount()));
                    inFlight.add(passed);
                } else {
                    var rest = new RestOfBatch(of.id.topic(), of.id.partition(), offset, passed.record);
                    passed.rest.add(rest);
                    range.put(rest);
                }
            }
        }
    }

    private void skipped(AcquiredRanges of, RecordBatch batch, AcquiredRange range) {
        long from = Math.max(range.first, batch.baseOffset());
        long to = Math.min(range.last, batch.lastOffset()) + 1;
        if (from < to) {
            receiver.skipped(of.id.topic(), of.id.partition(), from, to);
        }
    }

    /** Returns the entry of a batch with its record in flight; null if there is none or its lock is lost. */
    private @Nullable Passed inFlight(Id id, List<AcquiredRange> ranges) {
        for (Passed each : inFlight) {
            boolean again = ranges.stream().anyMatch(range -> range.contains(each.record.offset()));
            if (each.id.equals(id) && !each.record.isGone() && !again) {
                return each;
            }
        }
        return null;
    }

    private LockedRecord receive(
            AcquiredRanges of,
            RecordBatch batch,
            AcquiredRange range,
            long offset,
            KafkaException cause,
            short deliveryCount) {
        byte[] bytes = new byte[batch.sizeInBytes()];
        batch.writeTo(ByteBuffer.wrap(bytes));
        LockedRecord locked = receiver.receiveUnreadable(
                of.id.topicPartition(), offset, batch.lastOffset() + 1, bytes, cause, deliveryCount);
        range.put(locked);
        return locked;
    }

    private static KafkaException named(AcquiredRanges of, RecordBatch batch, RuntimeException fault) {
        String place = of + "@" + batch.baseOffset() + ".." + batch.lastOffset();
        return new KafkaException(
                fault instanceof AcquiredBatchReader.TooLarge
                        ? place + " is " + FailureText.of(fault)
                        : place + " is a batch that is corrupt (" + FailureText.of(fault) + ")",
                fault);
    }

    /** Notes that the processing of a record has ended. */
    void ended(LockedRecord record) {
        for (Passed each : inFlight) {
            if (each.record == record) {
                each.outcome = record.outcome();
            }
        }
    }

    /** Ends the other offsets of each batch whose representing record has ended or is gone. */
    void takeEnded(BiConsumer<LockedRecord, AcknowledgeType> end) {
        for (Iterator<Passed> all = inFlight.iterator(); all.hasNext(); ) {
            Passed each = all.next();
            AcknowledgeType outcome = each.record.isGone() ? AcknowledgeType.RELEASE : each.outcome;
            if (outcome != null) {
                all.remove();
                each.rest.forEach(rest -> end.accept(rest, outcome));
                if (outcome != AcknowledgeType.RELEASE) {
                    finished.put(each.id, true);
                }
            }
        }
    }
}
