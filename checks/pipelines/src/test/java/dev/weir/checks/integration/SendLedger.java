package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lean.LeanProducer;
import dev.weir.lean.LeanRecord;
import dev.weir.lean.SendException;
import dev.weir.lean.SendListener;
import dev.weir.testkit.Records;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.IsolationLevel;

/** Compares a lean producer's reports on numbered records with the records that Kafka's consumer reads. Thread-safe. */
final class SendLedger implements SendListener {

    final AtomicLong acknowledged = new AtomicLong();
    final Queue<SendException> failures = new ConcurrentLinkedQueue<>();

    private final int partitions;
    private final AtomicIntegerArray told;
    private final AtomicLongArray offsets;

    SendLedger(int records, int partitions) {
        this.partitions = partitions;
        this.told = new AtomicIntegerArray(records);
        this.offsets = new AtomicLongArray(records);
    }

    @Override
    public void acknowledged(long token, String topic, int partition, long offset) {
        told.incrementAndGet((int) token);
        offsets.set((int) token, offset);
        acknowledged.incrementAndGet();
    }

    @Override
    public void failed(long token, SendException why) {
        told.incrementAndGet((int) token);
        failures.add(why);
    }

    /**
     * Sends {@code count} records, starting with number {@code first}. Record {@code n} goes to partition
     * {@code n % partitions}.
     */
    void send(LeanProducer producer, String topic, long first, long count) {
        LeanRecord record = new LeanRecord(topic);
        for (long n = first; n < first + count; n++) {
            byte[] text = Long.toString(n).getBytes(StandardCharsets.US_ASCII);
            try {
                producer.send(record.partition((int) (n % partitions)).value(text), n);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    /**
     * Checks that each record was acknowledged once, and is in its partition once and in order, at the acknowledged
     * offset.
     */
    void assertAllOnceInOrder(String bootstrapServers, String topic) {
        assertAllOnceInOrder(bootstrapServers, topic, false);
    }

    /** Does the same check. A restarted broker may acknowledge a record without its offset. */
    void assertAllOnceInOrder(String bootstrapServers, String topic, boolean restarted) {
        assertThat(failures).isEmpty();
        assertThat(acknowledged).hasValue(told.length());
        for (int i = 0; i < told.length(); i++) {
            assertThat(told.get(i)).as("callbacks of record " + i).isEqualTo(1);
        }
        List<ConsumerRecord<byte[], byte[]>> all =
                Records.readAll(bootstrapServers, topic, IsolationLevel.READ_UNCOMMITTED);
        Map<Integer, List<ConsumerRecord<byte[], byte[]>>> byPartition = new HashMap<>();
        all.forEach(each -> byPartition
                .computeIfAbsent(each.partition(), number -> new ArrayList<>())
                .add(each));
        assertThat(byPartition).hasSize(partitions);
        byPartition.forEach((partition, records) -> {
            long[] found =
                    Records.numbers(records).stream().mapToLong(Long::longValue).toArray();
            long[] wanted = LongStream.range(0, told.length())
                    .filter(n -> n % partitions == partition)
                    .toArray();
            int differs = Arrays.mismatch(found, wanted);
            assertThat(differs)
                    .as(() -> topic + "-" + partition + " has " + found.length + " records, wanted " + wanted.length
                            + ", from "
                            + Arrays.toString(Arrays.copyOfRange(found, Math.max(0, differs - 2), differs + 3)))
                    .isEqualTo(-1);
            for (int i = 0; i < found.length; i++) {
                long offset = offsets.get((int) found[i]);
                // A restarted broker may no longer know the offset of a repeated batch.
                if (offset != -1 || !restarted) {
                    assertThat(offset)
                            .as("offset of record " + found[i])
                            .isEqualTo(records.get(i).offset());
                }
            }
        });
    }
}
