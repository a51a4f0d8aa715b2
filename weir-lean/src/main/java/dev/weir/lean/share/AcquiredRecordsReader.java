package dev.weir.lean.share;

import dev.weir.lean.internal.wire.FailureText;
import dev.weir.lean.share.AcquiredRange.Lock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.message.ShareFetchResponseData.AcquiredRecords;
import org.apache.kafka.common.message.ShareFetchResponseData.PartitionData;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.Records;
import org.apache.kafka.common.utils.Utils;

/**
 * Reads the acquired records of a fetch response. The response contains whole batches, although only some of their
 * offsets were acquired. Confined to the member's thread, except for {@link #batchRecords}.
 */
final class AcquiredRecordsReader implements AutoCloseable {

    private static final double FORGETS = 0.1;

    /**
     * Maximum number of offsets in an acquired range. Brokers acquire whole batches, whose number of offsets fits into
     * an int; a larger range is corrupt.
     */
    private static final long MOST_OFFSETS = Integer.MAX_VALUE - 8;

    private final AcquiredRecordReceiver receiver;
    private final AcquiredBatchReader reader;
    private final UnreadableParts unreadable;
    private volatile double batchRecords;

    AcquiredRecordsReader(AcquiredRecordReceiver receiver, ShareMember.Reading reading) {
        this.receiver = receiver;
        this.reader = new AcquiredBatchReader(reading);
        this.unreadable = new UnreadableParts(receiver);
    }

    /**
     * Returns the acquired ranges with their records. Offsets without a record are gaps. Offsets past the last batch of
     * the response are released.
     *
     * @throws RuntimeException the receiver's exception, for an unreadable batch that it does not skip, or if the
     * boundaries of the batches cannot be found
     */
    List<AcquiredRange> read(AcquiredRanges of, PartitionData data, Lock lock, long nowNanos) {
        List<AcquiredRecords> acquired = new ArrayList<>(data.acquiredRecords());
        acquired.sort(Comparator.comparingLong(AcquiredRecords::firstOffset));
        List<AcquiredRange> ranges = new ArrayList<>(acquired.size());
        for (AcquiredRecords each : acquired) {
            if (each.lastOffset() - each.firstOffset() >= MOST_OFFSETS) {
                throw corrupt(
                        of, each.firstOffset(), "acquired offsets " + each.firstOffset() + ".." + each.lastOffset());
            }
            ranges.add(new AcquiredRange(each.firstOffset(), each.lastOffset(), lock, nowNanos));
        }
        long sentTo = -1;
        int at = 0;
        if (data.records() instanceof Records records) {
            Iterator<? extends RecordBatch> batches = records.batchIterator();
            long first = ranges.isEmpty() ? 0 : ranges.getFirst().first;
            while (hasNext(batches, of, sentTo < 0 ? first : sentTo + 1)) {
                RecordBatch batch = batches.next();
                sentTo = batch.lastOffset();
                sawBatch(batch.lastOffset() - batch.baseOffset() + 1);
                at = next(ranges, at, batch.baseOffset());
                if (at == ranges.size()) {
                    break;
                }
                if (batch.lastOffset() >= ranges.get(at).first && !batch.isControlBatch()) {
                    read(of, batch, ranges, acquired, at);
                }
            }
        }
        if (sentTo < 0
                && !ranges.isEmpty()
                && data.records() != null
                && data.records().sizeInBytes() > 0) {
            // Only the beginning of a batch has arrived. A release would deliver the same part again.
            throw corrupt(of, ranges.getFirst().first, "a batch longer than the answer");
        }
        for (AcquiredRange range : ranges) {
            range.notSentFrom(sentTo + 1);
        }
        return ranges;
    }

    private boolean hasNext(Iterator<? extends RecordBatch> batches, AcquiredRanges of, long from) {
        try {
            return batches.hasNext();
        } catch (KafkaException fault) {
            // A batch has an invalid length or version, so later batches cannot be found.
            throw corrupt(of, from, FailureText.of(fault));
        }
    }

    private RuntimeException corrupt(AcquiredRanges of, long offset, String why) {
        return receiver.corrupt(of.id.topicPartition(), offset, why);
    }

    private void sawBatch(long size) {
        batchRecords = batchRecords == 0 ? size : batchRecords + FORGETS * (size - batchRecords);
    }

    /** Moving average of offsets per batch; 0 until a batch is read. May be called from any thread. */
    double batchRecords() {
        return batchRecords;
    }

    private static int next(List<AcquiredRange> ranges, int from, long offset) {
        int at = from;
        while (at < ranges.size() && ranges.get(at).last < offset) {
            at++;
        }
        return at;
    }

    private void read(
            AcquiredRanges of,
            RecordBatch batch,
            List<AcquiredRange> ranges,
            List<AcquiredRecords> acquired,
            int from) {
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        List<AcquiredRange> theirs = new ArrayList<>();
        int[] at = {from};
        try {
            reader.read(batch, record -> {
                at[0] = next(ranges, at[0], record.offset());
                if (at[0] < ranges.size() && ranges.get(at[0]).contains(record.offset())) {
                    records.add(record(of, batch, record, acquired.get(at[0]).deliveryCount()));
                    theirs.add(ranges.get(at[0]));
                }
            });
        } catch (KafkaException | IllegalArgumentException fault) {
            // An unknown codec causes IllegalArgumentException.
            unreadable.found(of, batch, ranges, acquired, fault);
            return;
        }
        // Pass on the records only now, after the whole batch has been read.
        for (int i = 0; i < records.size(); i++) {
            AcquiredRange range = theirs.get(i);
            range.put(receiver.receive(records.get(i)));
        }
    }

    UnreadableParts unreadable() {
        return unreadable;
    }

    @SuppressWarnings("NullAway") // ConsumerRecord accepts null keys and values without declaring them nullable.
    private static ConsumerRecord<byte[], byte[]> record(
            AcquiredRanges of, RecordBatch batch, Record record, short delivery) {
        byte[] key = record.hasKey() ? Utils.toArray(record.key()) : null;
        byte[] value = record.hasValue() ? Utils.toArray(record.value()) : null;
        RecordHeaders headers = new RecordHeaders();
        for (Header header : record.headers()) {
            // Kafka's headers decode lazily from the response buffer, which is reused. Read each one to copy it.
            headers.add(header.key(), header.value());
        }
        int epoch = batch.partitionLeaderEpoch();
        return new ConsumerRecord<>(
                of.id.topic(),
                of.id.partition(),
                record.offset(),
                record.timestamp(),
                batch.timestampType(),
                key == null ? ConsumerRecord.NULL_SIZE : key.length,
                value == null ? ConsumerRecord.NULL_SIZE : value.length,
                key,
                value,
                headers,
                epoch == RecordBatch.NO_PARTITION_LEADER_EPOCH ? Optional.empty() : Optional.of(epoch),
                Optional.of(delivery));
    }

    @Override
    public void close() {
        reader.close();
    }
}
