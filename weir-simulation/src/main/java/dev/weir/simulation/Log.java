package dev.weir.simulation;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.FetchResponseData.AbortedTransaction;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.jspecify.annotations.Nullable;

/**
 * The log of one partition at its leader: batches with their leader epochs, and the state of idempotent and
 * transactional producers. Unclean elections and retention remove batches. Confined to one thread.
 */
public final class Log {

    /** An unknown offset or epoch. */
    public static final int UNKNOWN = -1;

    /** Number of recent batches per producer among which a broker finds duplicates. */
    private static final int REMEMBERED = 5;

    /** A batch in the log, with the bytes that a fetch returns. */
    record Batch(
            long base, int epoch, long producerId, short producerEpoch, int sequence, int count, MemoryRecords bytes) {

        long next() {
            return bytes.batches().iterator().next().nextOffset();
        }

        boolean isControl() {
            return bytes.batches().iterator().next().isControlBatch();
        }
    }

    /**
     * The outcome of an append: the offset of the first record, or the error if the batch was rejected.
     *
     * @param wasKnown whether the batch was a duplicate; if so, {@code base} is the offset of the original
     */
    public record Appended(Errors error, long base, boolean wasKnown) {}

    /** The end of a leader epoch. Both components are {@link #UNKNOWN} if the requested epoch is newer than the log. */
    record EpochEnd(int epoch, long offset) {}

    private record Aborted(long producerId, long first, long marker) {}

    private final List<Batch> batches = new ArrayList<>();

    /** The first offset of each leader epoch. */
    private final TreeMap<Integer, Long> epochs = new TreeMap<>(Map.of(0, 0L));

    private final Map<Long, ArrayDeque<Batch>> producers = new HashMap<>();
    private final Map<Long, Long> open = new HashMap<>();
    private final List<Aborted> aborted = new ArrayList<>();

    /**
     * The offsets of records that arrived after their connection had closed and the log had forgotten their producer.
     */
    private final Set<Long> late = new HashSet<>();

    private long start;
    private long end;
    private int epoch;
    private int cuts;
    private int remembered = REMEMBERED;
    private Errors outOfSequence = Errors.OUT_OF_ORDER_SEQUENCE_NUMBER;

    /** Returns the first readable offset. */
    public long start() {
        return start;
    }

    /** Returns the offset of the next record. */
    public long end() {
        return end;
    }

    /** Returns the first offset of the oldest open transaction; the end of the log if there is none. */
    public long lastStable() {
        return open.isEmpty() ? end : Collections.min(open.values());
    }

    /** Returns the current leader's epoch. */
    public int epoch() {
        return epoch;
    }

    /** Returns the number of elections that lost records. */
    public int cuts() {
        return cuts;
    }

    /**
     * Returns whether the record at an offset arrived after its connection had closed and the log had forgotten its
     * producer.
     */
    public boolean isLateOfForgotten(long offset) {
        return late.contains(offset);
    }

    List<Batch> batches() {
        return Collections.unmodifiableList(batches);
    }

    /** Returns the bytes of all batches, starting with the oldest. */
    public List<ByteBuffer> bytes() {
        return batches.stream().map(batch -> batch.bytes.buffer().duplicate()).toList();
    }

    /** Returns whether producers without an ID wrote all of the {@code last} most recent batches. */
    public boolean isPlain(int last) {
        return batches.subList(Math.max(0, batches.size() - last), batches.size()).stream()
                .allMatch(batch -> batch.producerId < 0);
    }

    // ---- Producers -------------------------------------------------------------------------------------------------

    /** Remembers only the last batch of each producer, as a broker does after a restart. */
    public void rememberTheLastOnly() {
        remembered = 1;
    }

    /** Sets the error for a batch whose sequence number is not the expected one. */
    public void outOfSequence(Errors error) {
        outOfSequence = error;
    }

    /** Forgets all producers, as a broker does when their last records are too old. */
    public void forgetProducers() {
        producers.clear();
    }

    /** Appends a producer's batch, given as bytes, unless it is a duplicate or out of sequence. */
    public Appended append(ByteBuffer batch) {
        return append(MemoryRecords.readableRecords(batch).batches().iterator().next());
    }

    Appended append(MutableRecordBatch batch) {
        long producer = batch.producerId();
        ArrayDeque<Batch> known = producers.get(producer);
        if (producer >= 0 && known != null) {
            Batch last = known.getLast();
            for (Batch each : known) {
                if (isSame(each, batch)) {
                    return new Appended(Errors.NONE, each.base, true);
                }
            }
            if (batch.producerEpoch() < last.producerEpoch) {
                return refused(Errors.INVALID_PRODUCER_EPOCH);
            }
            boolean goesOn = batch.producerEpoch() == last.producerEpoch && last.sequence >= 0;
            if (batch.baseSequence() != (goesOn ? last.sequence + last.count : 0)) {
                return refused(outOfSequence);
            }
        }
        return appendUnchecked(batch);
    }

    /** Appends a batch whose connection has been closed since. */
    Appended appendLate(MutableRecordBatch batch) {
        ArrayDeque<Batch> known = producers.get(batch.producerId());
        boolean forgotten = batch.hasProducerId() && (known == null || late.contains(known.getLast().base));
        Appended appended = append(batch);
        if (forgotten && appended.error == Errors.NONE && !appended.wasKnown) {
            LongStream.range(appended.base, end).forEach(late::add);
        }
        return appended;
    }

    private static boolean isSame(Batch known, MutableRecordBatch batch) {
        return known.producerEpoch == batch.producerEpoch()
                && known.sequence == batch.baseSequence()
                && known.count == batch.countOrNull();
    }

    private static Appended refused(Errors error) {
        return new Appended(error, UNKNOWN, false);
    }

    Appended appendUnchecked(MutableRecordBatch batch) {
        ByteBuffer copy = ByteBuffer.allocate(batch.sizeInBytes());
        batch.writeTo(copy);
        return add(MemoryRecords.readableRecords(copy.flip()));
    }

    private Appended add(MemoryRecords bytes) {
        MutableRecordBatch batch = bytes.batches().iterator().next();
        long base = end;
        int count = Math.max(1, batch.countOrNull());
        batch.setLastOffset(base + batch.lastOffset() - batch.baseOffset());
        batch.setPartitionLeaderEpoch(epoch);
        Batch added =
                new Batch(base, epoch, batch.producerId(), batch.producerEpoch(), batch.baseSequence(), count, bytes);
        batches.add(added);
        end = added.next();
        note(added);
        return new Appended(Errors.NONE, base, false);
    }

    private void note(Batch added) {
        if (added.producerId < 0) {
            return;
        }
        ArrayDeque<Batch> known = producers.computeIfAbsent(added.producerId, none -> new ArrayDeque<>());
        known.add(added);
        while (known.size() > remembered) {
            known.remove();
        }
        MutableRecordBatch batch = added.bytes.batches().iterator().next();
        if (batch.isControlBatch()) {
            Long first = open.remove(added.producerId);
            if (first != null && ControlRecordType.parse(batch.iterator().next().key()) == ControlRecordType.ABORT) {
                aborted.add(new Aborted(added.producerId, first, added.base));
            }
        } else if (batch.isTransactional()) {
            open.putIfAbsent(added.producerId, added.base);
        }
    }

    /** Appends a batch with these values, as written by a producer without an id. */
    public void append(List<byte[]> values) {
        Appended ignored = add(MemoryRecords.withRecords(Compression.NONE, records(values)));
    }

    private static SimpleRecord[] records(List<byte[]> values) {
        return values.stream().map(SimpleRecord::new).toArray(SimpleRecord[]::new);
    }

    /** Appends a batch with these values. Each empty value becomes a gap, like a compacted record. */
    public void appendCompacted(List<byte[]> values) {
        var builder =
                MemoryRecords.builder(ByteBuffer.allocate(1_024), Compression.NONE, TimestampType.CREATE_TIME, 0L);
        for (int i = 0; i < values.size(); i++) {
            if (values.get(i).length > 0) {
                builder.appendWithOffset(i, new SimpleRecord(values.get(i)));
            }
        }
        Appended ignored = add(builder.build());
    }

    /** Appends a batch with these values that belongs to a transaction. */
    public void appendInTransaction(long producerId, int sequence, List<byte[]> values) {
        Appended ignored = add(MemoryRecords.withTransactionalRecords(
                Compression.NONE, producerId, (short) 0, sequence, records(values)));
    }

    /** Appends the marker that ends a transaction. */
    public void endTransaction(long producerId, boolean commit) {
        ControlRecordType type = commit ? ControlRecordType.COMMIT : ControlRecordType.ABORT;
        Appended ignored = add(MemoryRecords.withEndTransactionMarker(
                0, 0, epoch, producerId, (short) 0, new EndTransactionMarker(type, 0)));
    }

    // ---- Elections and retention -----------------------------------------------------------------------------------

    /** Starts the epoch of a new leader, which has all records. */
    public void elect() {
        epoch++;
        // Forget epochs without records.
        epochs.values().removeIf(first -> first >= end);
        epochs.put(epoch, end);
    }

    /** Starts the epoch of a new leader that does not have the last {@code missing} batches. */
    public void electUnclean(int missing) {
        int keep = Math.max(0, batches.size() - missing);
        end = keep < batches.size() ? batches.get(keep).base : end;
        cuts += keep < batches.size() ? 1 : 0;
        batches.subList(keep, batches.size()).clear();
        producers.clear();
        open.clear();
        aborted.clear();
        batches.forEach(this::note);
        elect();
    }

    /** Deletes all batches except the {@code last} most recent ones, as retention does. */
    public void retain(int last) {
        int gone = Math.max(0, batches.size() - last);
        start = gone == 0 ? start : gone < batches.size() ? batches.get(gone).base : end;
        batches.subList(0, gone).clear();
    }

    /** Returns the end of the largest leader epoch that is not greater than {@code of}. */
    EpochEnd endOf(int of) {
        if (of == epoch) {
            return new EpochEnd(epoch, end);
        }
        Map.Entry<Integer, Long> higher = epochs.higherEntry(of);
        if (higher == null) {
            return new EpochEnd(UNKNOWN, UNKNOWN);
        }
        Integer floor = epochs.floorKey(of);
        return new EpochEnd(floor == null ? of : floor, higher.getValue());
    }

    // ---- Reading ---------------------------------------------------------------------------------------------------

    /**
     * Returns whole batches from the offset's batch on, with at most {@code maxBytes} bytes in total. The first batch
     * may be larger.
     */
    MemoryRecords read(long from, int maxBytes, boolean committed) {
        long limit = committed ? lastStable() : end;
        List<Batch> found = new ArrayList<>();
        int bytes = 0;
        for (int at = indexOf(from); at < batches.size(); at++) {
            Batch batch = batches.get(at);
            boolean fits = found.isEmpty() || bytes + batch.bytes.sizeInBytes() <= maxBytes;
            if (batch.base >= limit || !fits) {
                break;
            }
            found.add(batch);
            bytes += batch.bytes.sizeInBytes();
        }
        ByteBuffer all = ByteBuffer.allocate(bytes);
        found.forEach(batch -> all.put(batch.bytes.buffer().duplicate()));
        return MemoryRecords.readableRecords(all.flip());
    }

    MemoryRecords readTo(long first, long last) {
        int from = indexOf(first);
        int to = from;
        int bytes = 0;
        while (to < batches.size() && batches.get(to).base <= last) {
            bytes += batches.get(to++).bytes.sizeInBytes();
        }
        ByteBuffer all = ByteBuffer.allocate(bytes);
        batches.subList(from, to).forEach(batch -> all.put(batch.bytes.buffer().duplicate()));
        return MemoryRecords.readableRecords(all.flip());
    }

    private int indexOf(long offset) {
        int low = 0;
        int high = batches.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (batches.get(middle).next() <= offset) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Returns the value of the record at an offset; null if there is none. */
    public @Nullable ByteBuffer valueAt(long offset) {
        int at = indexOf(offset);
        if (at < batches.size()) {
            for (Record record : batches.get(at).bytes.records()) {
                if (record.offset() == offset) {
                    return record.value();
                }
            }
        }
        return null;
    }

    /** Returns the aborted transactions that affect a read starting at the offset. */
    public List<AbortedTransaction> aborted(long from) {
        return aborted.stream()
                .filter(each -> each.marker >= from)
                .sorted((one, other) -> Long.compare(one.first, other.first))
                .map(each ->
                        new AbortedTransaction().setProducerId(each.producerId).setFirstOffset(each.first))
                .toList();
    }

    /** Returns the values that a reader eventually receives, by offset. */
    public NavigableMap<Long, ByteBuffer> records(boolean committed) {
        TreeMap<Long, ByteBuffer> all = new TreeMap<>();
        for (Batch batch : batches) {
            boolean isAborted = committed
                    && batch.producerId >= 0
                    && aborted.stream()
                            .anyMatch(each -> each.producerId == batch.producerId
                                    && each.first <= batch.base
                                    && batch.base < each.marker);
            RecordBatch bytes = batch.bytes.batches().iterator().next();
            if (!batch.isControl() && !(isAborted && bytes.isTransactional())) {
                batch.bytes.records().forEach(record -> all.put(record.offset(), record.value()));
            }
        }
        return all;
    }
}
