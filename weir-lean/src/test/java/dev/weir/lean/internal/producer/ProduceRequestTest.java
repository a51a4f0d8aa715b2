package dev.weir.lean.internal.producer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lean.internal.cluster.RetryBackoff;
import dev.weir.lean.internal.encode.RecordBytes;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.requests.RequestHeader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that Kafka's own code reads Weir's produce requests. */
class ProduceRequestTest {

    private final RequestFlight flight = new RequestFlight();
    private final ProducerTopic one = new ProducerTopic("one", 0);
    private final ProducerTopic other = new ProducerTopic("größer", 1);

    private static ProducerBatch batch(boolean direct, int records) {
        ByteBuffer bytes = direct ? ByteBuffer.allocateDirect(1_000) : ByteBuffer.allocate(1_000);
        ProducerBatch batch = new ProducerBatch(bytes, 0);
        batch.begin(0);
        RecordBytes record = new RecordBytes();
        record.key.clear();
        record.value.wrap(new byte[] {7}, 0, 1);
        for (int i = 0; i < records; i++) {
            assertThat(batch.append(record, 100 + i, i)).isTrue();
        }
        batch.writer.stamp(77, (short) 3, 40, new CRC32C());
        return batch;
    }

    private void add(ProducerTopic topic, int number, ProducerBatch batch) {
        flight.add(new ProducerPartition(topic, number, new RetryBackoff(1, new SplittableRandom(1))), batch);
    }

    /** Writes the request as a connection does, with each inserted buffer in its place. */
    private static ByteBuffer written(ProduceRequest request, int correlation) {
        ByteBuffer out = ByteBuffer.allocate(request.maxBytes());
        TreeMap<Integer, ByteBuffer> inserts = new TreeMap<>();
        request.write(out, bytes -> inserts.put(out.position(), bytes), correlation);
        ByteBuffer all = ByteBuffer.allocate(10_000);
        int from = 0;
        for (var insert : inserts.entrySet()) {
            all.put(out.array(), from, insert.getKey() - from).put(insert.getValue());
            from = insert.getKey();
        }
        all.put(out.array(), from, out.limit() - from).flip();
        assertThat(all.getInt()).as("size").isEqualTo(all.remaining());
        return all;
    }

    @ParameterizedTest
    @CsvSource({"false, 9", "true, 9", "false, 12", "true, 12"})
    void request_isWhatKafkaReads_withBatchesInTheHeapOrNot(boolean direct, short version) {
        add(one, 0, batch(direct, 1));
        add(one, 5, batch(!direct, 2));
        add(other, 3, batch(direct, 3));
        ByteBuffer bytes = written(new ProduceRequest("weir-größe", 1_234).of(flight, version), 99);
        RequestHeader header = RequestHeader.parse(bytes);
        assertThat(header.apiKey()).isEqualTo(ApiKeys.PRODUCE);
        assertThat(header.apiVersion()).isEqualTo(version);
        assertThat(header.correlationId()).isEqualTo(99);
        assertThat(header.clientId()).isEqualTo("weir-größe");

        ProduceRequestData request = new ProduceRequestData(new ByteBufferAccessor(bytes), version);
        assertThat(bytes.hasRemaining()).isFalse();
        assertThat(request.transactionalId()).isNull();
        assertThat(request.acks()).isEqualTo((short) -1);
        assertThat(request.timeoutMs()).isEqualTo(1_234);
        assertThat(request.topicData()).extracting(TopicProduceData::name).containsExactly("one", "größer");
        TopicProduceData first = request.topicData().iterator().next();
        assertThat(first.partitionData())
                .extracting(PartitionProduceData::index)
                .containsExactly(0, 5);
        int records = 0;
        for (TopicProduceData topic : request.topicData()) {
            for (PartitionProduceData partition : topic.partitionData()) {
                RecordBatch batch = ((MemoryRecords) partition.records())
                        .batches()
                        .iterator()
                        .next();
                batch.ensureValid();
                assertThat(batch.producerId()).isEqualTo(77);
                assertThat(batch.producerEpoch()).isEqualTo((short) 3);
                assertThat(batch.baseSequence()).isEqualTo(40);
                records++;
                assertThat(batch.lastSequence()).isEqualTo(39 + records);
            }
        }
        assertThat(records).isEqualTo(3);
    }

    @Test
    void boundOfItsBytes_hasBatchesInTheHeap_andNotOthers() {
        ProduceRequest request = new ProduceRequest("id", 1);
        add(one, 0, batch(true, 1));
        int direct = request.of(flight, (short) 9).maxBytes();
        assertThat(direct).isBetween(60, 120);
        ProducerBatch heap = batch(false, 2);
        add(other, 0, heap);
        assertThat(request.of(flight, (short) 9).maxBytes() - direct)
                .isEqualTo(heap.writer.sizeBytes() + other.nameBytes.length + ProduceRequest.PARTITION_BYTES);
    }

    // ---- The batches of a request ----------------------------------------------------------------------------------

    @Test
    void partition_isFoundFromAPlaceOn_andBeforeIt() {
        add(one, 0, batch(true, 1));
        add(one, 1, batch(true, 1));
        add(other, 0, batch(true, 1));
        assertThat(flight.find("one", 0, 0)).isZero();
        assertThat(flight.find("one", 1, 2)).isEqualTo(1);
        assertThat(flight.find("größer", 0, 1)).isEqualTo(2);
        assertThat(flight.find("größer", 1, 0)).isEqualTo(-1);
        assertThat(flight.find("two", 0, 0)).isEqualTo(-1);
    }

    @Test
    void batch_isAnsweredOnce_andNoneIsOfTheNextRequest() {
        add(one, 0, batch(true, 1));
        add(one, 1, batch(true, 1));
        assertThat(flight.answer(1)).isTrue();
        assertThat(flight.answer(1)).isFalse();
        assertThat(flight.answer(0)).isTrue();
        flight.clear();
        assertThat(flight.size()).isZero();
        add(other, 0, batch(true, 1));
        assertThat(flight.partition(0).topic).isSameAs(other);
        assertThat(flight.answer(0)).isTrue();
    }
}
