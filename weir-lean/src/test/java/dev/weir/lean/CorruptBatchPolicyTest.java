package dev.weir.lean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weir.lean.internal.batch.BatchLayout;
import dev.weir.lean.internal.consumer.ConsumerEngine;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.LongStream;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests the policies for corrupt batches. A real broker wrote the logs: three batches of fifteen records. The second
 * batch is damaged.
 */
class CorruptBatchPolicyTest {

    private static final int BATCH = 15;
    private static final int END = 3 * BATCH;
    private static final Duration LONGEST = Duration.ofSeconds(50);

    private static final List<Long> WITHOUT_THE_SECOND = LongStream.concat(
                    LongStream.range(0, BATCH), LongStream.range(2 * BATCH, END))
            .boxed()
            .toList();

    private static final Logger ENGINE_LOG = Logger.getLogger(ConsumerEngine.class.getName());

    private final List<Long> offsets = new ArrayList<>();
    private final List<Integer> starts = new ArrayList<>();

    /** The log that the broker serves. */
    private volatile ByteBuffer log = ByteBuffer.allocate(0);

    private FakeBroker broker;

    /** Switches off the log messages about damaged batches. */
    @BeforeAll
    static void silence() {
        ENGINE_LOG.setLevel(Level.OFF);
    }

    @AfterAll
    static void endSilence() {
        ENGINE_LOG.setLevel(null);
    }

    @BeforeEach
    void open() throws Exception {
        broker = new FakeBroker(SecurityProtocol.PLAINTEXT, Map.of(), this::serve);
    }

    @AfterEach
    void close() throws Exception {
        broker.close();
    }

    private LeanConsumer consumer(CorruptBatchPolicy policy) throws Exception {
        return LeanConsumer.open(LeanSettings.builder()
                .bootstrapServers(broker.address())
                .onCorruptBatch(policy)
                .build());
    }

    /** Serves the log in whole batches, whatever they contain. */
    private FetchResponseData serve(FetchRequestData request) {
        FetchResponseData answer = new FetchResponseData();
        if (request.topics().isEmpty()) {
            return answer;
        }
        long offset = request.topics().getFirst().partitions().getFirst().fetchOffset();
        PartitionData data = new PartitionData().setRecords(MemoryRecords.EMPTY).setHighWatermark(END);
        if (offset > END) {
            data.setErrorCode(Errors.OFFSET_OUT_OF_RANGE.code());
        } else if (offset < END) {
            ByteBuffer rest = log.duplicate().position(starts.get((int) offset / BATCH));
            data.setRecords(MemoryRecords.readableRecords(rest.slice()));
        }
        return answer.setResponses(List.of(
                new FetchableTopicResponse().setTopicId(FakeBroker.TOPIC_ID).setPartitions(List.of(data))));
    }

    private byte[] corpus(String codec) {
        byte[] bytes = Objects.requireNonNull(Corpus.batches().get("batches-" + codec));
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        starts.clear();
        for (int at = 0; at < bytes.length; at += (int) BatchLayout.size(buffer, at)) {
            starts.add(at);
        }
        assertThat(starts).hasSize(3);
        return bytes;
    }

    private void flip(byte[] bytes, long bitOfSecond) {
        byte[] damaged = bytes.clone();
        damaged[starts.get(1) + (int) (bitOfSecond / 8)] ^= (byte) (1 << (bitOfSecond % 8));
        log = ByteBuffer.wrap(damaged);
    }

    private void read(LeanConsumer consumer, int index) {
        offsets.clear();
        consumer.seek(index, StartAt.offset(0));
        goOn(consumer, index);
    }

    private void goOn(LeanConsumer consumer, int index) {
        long deadline = System.nanoTime() + LONGEST.toNanos();
        while (consumer.position(index) < END) {
            if (consumer.poll(record -> offsets.add(record.offset())) == 0) {
                consumer.await(Duration.ofMillis(10));
            }
            assertThat(System.nanoTime())
                    .as("at " + consumer.position(index) + ", " + consumer.metrics())
                    .isLessThan(deadline);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "gzip", "snappy", "lz4", "zstd"})
    void skip_leavesOutTheBatch_whateverBitOfWhatTheChecksumCoversIsWrong(String codec) throws Exception {
        byte[] bytes = corpus(codec);
        int bits = 8 * (starts.get(2) - starts.get(1));
        try (LeanConsumer consumer = consumer(CorruptBatchPolicy.SKIP)) {
            int index = consumer.assign(FakeBroker.TOPIC, 0, StartAt.offset(0));
            int rounds = 0;
            // Flip bits after the length field: of the checksum and the header in steps, and of some records.
            for (int bit = 17 * 8; bit < bits; bit += bit < 61 * 8 ? 3 : 173) {
                flip(bytes, bit);
                read(consumer, index);
                rounds++;
                // A corrupt last offset beyond the end of the log is ignored. A corrupt last offset within the batch
                // makes the consumer fetch the remaining part, which is corrupt as well.
                assertThat(offsets).as("bit " + bit).isEqualTo(WITHOUT_THE_SECOND);
                assertThat(consumer.metrics().corruptBatches()).isGreaterThanOrEqualTo(rounds);
            }
        }
    }

    @Test
    void skip_leavesOutTheBatch_whateverBitOfItsLengthIsWrong() throws Exception {
        byte[] bytes = corpus("none");
        try (LeanConsumer consumer = consumer(CorruptBatchPolicy.SKIP)) {
            int index = consumer.assign(FakeBroker.TOPIC, 0, StartAt.offset(0));
            for (int bit = 8 * 8; bit < 12 * 8; bit++) {
                flip(bytes, bit);
                read(consumer, index);
                assertThat(offsets).as("bit " + bit).isEqualTo(WITHOUT_THE_SECOND);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "gzip", "snappy", "lz4", "zstd"})
    void fail_namesTheBatch_handsOutNothingOfIt_andCanSkipIt(String codec) throws Exception {
        byte[] bytes = corpus(codec);
        flip(bytes, 8L * (starts.get(2) - starts.get(1)) - 5);
        try (LeanConsumer consumer = consumer(CorruptBatchPolicy.FAIL)) {
            int index = consumer.assign(FakeBroker.TOPIC, 0, StartAt.offset(0));
            assertThatExceptionOfType(CorruptBatchException.class)
                    .isThrownBy(() -> read(consumer, index))
                    .withMessageContaining("t-0@15")
                    .withMessageContaining("checksum")
                    .satisfies(fault -> assertThat(fault.offset()).isEqualTo(BATCH));
            assertThat(offsets).isEqualTo(LongStream.range(0, BATCH).boxed().toList());
            consumer.skipBatch(index);
            goOn(consumer, index);
            assertThat(offsets).isEqualTo(WITHOUT_THE_SECOND);
            assertThat(consumer.metrics().corruptBatches()).isZero();
        }
    }

    /**
     * No checksum covers the base offset. The consumer notices a wrong base offset only if batches overlap or the log
     * lacks the offset.
     */
    @Test
    void baseOffset_whateverBitIsWrong_neverTurnsBackAndEnds() throws Exception {
        byte[] bytes = corpus("lz4");
        for (int bit = 0; bit < 8 * 8; bit++) {
            flip(bytes, bit);
            try (LeanConsumer consumer = consumer(CorruptBatchPolicy.FAIL)) {
                int index = consumer.assign(FakeBroker.TOPIC, 0, StartAt.offset(0));
                PartitionException fault = catchThrowableOfType(PartitionException.class, () -> read(consumer, index));
                assertThat(offsets.subList(0, BATCH))
                        .isEqualTo(LongStream.range(0, BATCH).boxed().toList());
                assertThat(offsets).as("bit " + bit).isSorted().doesNotHaveDuplicates();
                if (fault != null) {
                    assertThat(fault.offset()).as("bit " + bit).isGreaterThanOrEqualTo(BATCH);
                }
            }
        }
    }
}
