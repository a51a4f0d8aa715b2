package dev.weir.drivers.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.Test;

/** Checks that Kafka's own classes can read the encoded requests. */
class BareRequestTest {

    private static final long PRODUCER_ID = 7;
    private static final short EPOCH = 2;
    private static final int SEQUENCE = 11;

    private final BareRequest request = new BareRequest("clicks", 1 << 20);

    private static List<byte[]> values(int... sizes) {
        List<byte[]> values = new ArrayList<>();
        for (int size : sizes) {
            byte[] value = new byte[size];
            for (int at = 0; at < size; at++) {
                value[at] = (byte) (size + at);
            }
            values.add(value);
        }
        return values;
    }

    private void batch(int partition, List<byte[]> values) {
        request.begin(partition);
        values.forEach(request::add);
        request.end(PRODUCER_ID, EPOCH, SEQUENCE);
    }

    private Map<Integer, MutableRecordBatch> batches() {
        ByteBuffer bytes = request.finish();
        assertThat(bytes.getInt()).isEqualTo(bytes.remaining());
        RequestHeader header = RequestHeader.parse(bytes);
        assertThat(header.apiKey()).isEqualTo(ApiKeys.PRODUCE);
        ProduceRequestData data = new ProduceRequestData(new ByteBufferAccessor(bytes), header.apiVersion());
        assertThat(bytes.hasRemaining()).isFalse();
        assertThat(data.acks()).isEqualTo((short) -1);
        Map<Integer, MutableRecordBatch> batches = new TreeMap<>();
        data.topicData().forEach(topic -> {
            assertThat(topic.name()).isEqualTo("clicks");
            topic.partitionData()
                    .forEach(each -> batches.put(
                            each.index(),
                            ((MemoryRecords) each.records())
                                    .batches()
                                    .iterator()
                                    .next()));
        });
        return batches;
    }

    private static List<byte[]> valuesOf(MutableRecordBatch batch) {
        List<byte[]> values = new ArrayList<>();
        for (Record each : batch) {
            assertThat(each.hasKey()).isFalse();
            values.add(Utils.toArray(each.value()));
        }
        return values;
    }

    @Test
    void batches_areReadAsTheyWerePut_inOneRequestAfterTheOther() {
        List<byte[]> small = values(0, 1, 63, 64, 100);
        List<byte[]> large = values(20_000, 8, 300_000);
        for (int time = 0; time < 2; time++) {
            ByteBuffer unused = request.start();
            batch(3, small);
            batch(0, large);
            Map<Integer, MutableRecordBatch> batches = batches();
            assertThat(batches.keySet()).containsExactly(0, 3);
            batches.values().forEach(batch -> {
                batch.ensureValid();
                assertThat(batch.producerId()).isEqualTo(PRODUCER_ID);
                assertThat(batch.producerEpoch()).isEqualTo(EPOCH);
                assertThat(batch.baseSequence()).isEqualTo(SEQUENCE);
            });
            assertThat(valuesOf(Objects.requireNonNull(batches.get(3)))).containsExactlyElementsOf(small);
            assertThat(valuesOf(Objects.requireNonNull(batches.get(0)))).containsExactlyElementsOf(large);
        }
    }

    @Test
    void sizeOfRecords_isWhatTheyTake() {
        List<byte[]> values = values(new int[300]);
        ByteBuffer unused = request.start();
        batch(0, values);
        int expected = BareRequest.BATCH_HEADER;
        for (int before = 0; before < values.size(); before++) {
            expected += BareRequest.recordBytes(before, 0);
        }
        assertThat(Objects.requireNonNull(batches().get(0)).sizeInBytes()).isEqualTo(expected);
    }
}
