package dev.weir.bench.cluster;

import dev.weir.bench.RunFailure;
import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.driver.HandlerOrder;
import dev.weir.driver.LedgerFigures;
import dev.weir.driver.RecordLayout;
import dev.weir.driver.Report;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/**
 * Checks a copy of a topic by reading the output topic, independently of the tested library. Each value contains its
 * record's partition and number. Confined to one thread; used once.
 */
final class CopiedRecords {
    /**
     * Longest wait for the next record, and for open transactions to end. It exceeds the default
     * {@code transaction.timeout.ms}.
     */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(75);

    private static final byte MOST = Byte.MAX_VALUE;
    private static final byte[] NONE = {};

    // The largest number of transaction markers in a partition.
    private static final String MARKERS = "output: transaction markers of a partition";

    private final WorkloadPoint point;
    private final long[] committed; // by partition
    private final byte[][] copies; // by partition and number
    private final long[] highest; // by partition
    private final long[] records; // by partition
    private long distinct;
    private long again;
    private long reordered;
    private long foreign;
    private long bytes;
    private long markers;
    private long firstMillis = Long.MAX_VALUE;
    private long lastMillis = Long.MIN_VALUE;

    /**
     * Creates a check that has not read any output.
     *
     * @param ends end offsets of the input, by partition
     * @param committed the group's committed offsets in the input, by partition
     */
    CopiedRecords(WorkloadPoint point, long[] ends, long[] committed) {
        this.point = point;
        this.committed = committed;
        this.copies = Arrays.stream(ends)
                .mapToObj(end -> new byte[Math.toIntExact(end)])
                .toArray(byte[][]::new);
        this.highest = new long[point.partitions()];
        Arrays.fill(highest, -1);
        this.records = new long[point.partitions()];
    }

    /**
     * Reads the whole topic.
     *
     * @param connection properties that a client needs to reach the brokers
     * @throws RunFailure if the topic cannot be read, a transaction stays open, or an exactly-once copy has no
     *     transactions
     */
    CopiedRecords read(Map<String, String> connection, String topic) {
        List<TopicPartition> partitions = IntStream.range(0, point.partitions())
                .mapToObj(partition -> new TopicPartition(topic, partition))
                .toList();
        String isolation = point.isExactlyOnce() ? "read_committed" : "read_uncommitted";
        try (Consumer<byte[], byte[]> consumer = WrittenTopic.consumer(connection, isolation)) {
            Map<TopicPartition, Long> ends = ends(connection, partitions);
            WrittenTopic.read(consumer, ends, PATIENCE_NANOS, this::add);
            ends.forEach((partition, end) -> endsAt(partition.partition(), end));
            return this;
        } catch (KafkaException e) {
            throw new RunFailure("its output " + topic + " could not be read: " + e);
        }
    }

    /** Waits until no transaction is open and returns the end offset of each partition. */
    private static Map<TopicPartition, Long> ends(Map<String, String> connection, List<TopicPartition> partitions) {
        try (Admin admin = Admin.create(new HashMap<>(connection))) {
            long deadline = System.nanoTime() + PATIENCE_NANOS;
            while (true) {
                Map<TopicPartition, Long> ends = ends(admin, partitions, IsolationLevel.READ_UNCOMMITTED);
                if (ends.equals(ends(admin, partitions, IsolationLevel.READ_COMMITTED))) {
                    return ends;
                }
                if (System.nanoTime() - deadline >= 0) {
                    throw new RunFailure("a transaction of it is still open "
                            + TimeUnit.NANOSECONDS.toSeconds(PATIENCE_NANOS) + " s after it has closed");
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
            }
        }
    }

    private static Map<TopicPartition, Long> ends(
            Admin admin, List<TopicPartition> partitions, IsolationLevel isolation) {
        Map<TopicPartition, OffsetSpec> latest = new HashMap<>();
        partitions.forEach(partition -> latest.put(partition, OffsetSpec.latest()));
        Map<TopicPartition, Long> ends = new HashMap<>();
        Asked.of(
                        "for the ends of an output",
                        admin.listOffsets(latest, new ListOffsetsOptions(isolation))
                                .all())
                .forEach((partition, end) -> ends.put(partition, end.offset()));
        return ends;
    }

    private void add(ConsumerRecord<byte[], byte[]> record) {
        byte[] value = record.value();
        add(record.partition(), value == null ? NONE : value, record.timestamp());
    }

    private boolean isOfInput(int partition, byte[] value) {
        return value.length >= Math.max(RecordLayout.MIN_VALUE_BYTES, point.partitionAt() + Integer.BYTES)
                && RecordLayout.partition(value, point.partitionAt()) == partition
                && RecordLayout.number(value) >= 0
                && RecordLayout.number(value) < copies[partition].length;
    }

    /**
     * Notes the end offset of an output partition that has been read. Offsets without a record belong to transaction
     * markers or aborted records.
     *
     * @throws RunFailure if exactly once is requested and the partition was written without transactions
     */
    void endsAt(int partition, long offset) {
        long without = offset - records[partition];
        if (point.isExactlyOnce() && records[partition] > 0 && without == 0) {
            throw new RunFailure("partition " + partition + " of its output was written without transactions,"
                    + " where exactly once is asked for");
        }
        markers = Math.max(markers, without);
    }

    void add(int partition, byte[] value, long millis) {
        records[partition]++;
        bytes += value.length;
        firstMillis = Math.min(firstMillis, millis);
        lastMillis = Math.max(lastMillis, millis);
        if (!isOfInput(partition, value)) {
            foreign++;
            return;
        }
        long number = RecordLayout.number(value);
        int index = (int) number;
        if (copies[partition][index] > 0) {
            again++;
        } else {
            distinct++;
            reordered += number < highest[partition] ? 1 : 0;
            highest[partition] = Math.max(highest[partition], number);
        }
        copies[partition][index] = (byte) Math.min(MOST, copies[partition][index] + 1);
    }

    /**
     * Returns the driver's report with its own counts replaced by figures measured from the output topic.
     *
     * @throws RunFailure if nothing was written, or if the group would copy a written record again
     */
    Report.Passed figures(Report.Passed passed) {
        if (distinct == 0) {
            throw new RunFailure("it has written nothing, and taken " + passed.records() + " records");
        }
        // The copy begins with the driver's first record. Timestamps are whole milliseconds, so the difference can be
        // 0.
        long millis = Math.max(1, lastMillis - Math.min(firstMillis, passed.firstMillis()));
        Map<String, Double> client = new HashMap<>(passed.client());
        if (point.isExactlyOnce()) {
            client.put(MARKERS, (double) markers);
        }
        return new Report.Passed(
                passed.complete(),
                distinct,
                bytes,
                TimeUnit.MILLISECONDS.toNanos(millis),
                passed.joinNanos(),
                passed.firstMillis(),
                passed.usage(),
                ledger(),
                client,
                passed.handlers());
    }

    /** Returns the counts of copied, missing, repeated and reordered records. */
    LedgerFigures ledger() {
        boolean isOrdered = point.ordering() == HandlerOrder.PARTITION;
        long missing = 0;
        for (int partition = 0; partition < copies.length; partition++) {
            long begun = highest[partition] + 1;
            if (point.isExactlyOnce() && isOrdered && begun > committed[partition]) {
                throw new RunFailure("output and offsets were not committed together: partition " + partition
                        + " is written up to offset " + begun + ", and committed up to " + committed[partition]);
            }
            long until = isOrdered ? Math.max(begun, committed[partition]) : committed[partition];
            for (int number = 0; number < Math.min(until, copies[partition].length); number++) {
                missing += copies[partition][number] == 0 ? 1 : 0;
            }
        }
        boolean isOnce = point.isExactlyOnce();
        return new LedgerFigures(
                distinct, missing, isOnce ? again : 0, isOrdered ? reordered : 0, foreign, 0, isOnce ? 0 : again);
    }
}
