package dev.weir.kafka.internal.in.buffer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.internal.in.fetch.Fetched;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;

class RecordWeightsTest {

    private static final int HEADER_BYTES = 100_000;

    private final RecordWeights weights = new RecordWeights();

    private static Fetched record(boolean withHeader) {
        Headers headers = new RecordHeaders();
        if (withHeader) {
            headers.add("trace", new byte[HEADER_BYTES]);
        }
        return new Fetched.OfRecord(new ConsumerRecord<>(
                "t",
                0,
                0,
                0,
                TimestampType.CREATE_TIME,
                10,
                20,
                new byte[10],
                new byte[20],
                headers,
                Optional.empty()));
    }

    /** Creates a batch in which every {@code every}th record has a header; no record has one if {@code every} is 0. */
    private static Object[] batch(int size, int every) {
        return IntStream.range(0, size)
                .mapToObj(i -> record(every > 0 && i % every == every - 1))
                .toArray();
    }

    private int weigh(Object[] batch, int index) {
        weights.look(batch);
        return weights.of((Fetched) batch[index]);
    }

    @Test
    void headers_inTheFirstBatch_areAllFound() {
        assertThat(weigh(batch(512, 512), 511)).isGreaterThan(HEADER_BYTES);
    }

    @Test
    void headersOfEachRecord_thatComeLater_areFoundInTheirFirstBatch() {
        assertThat(weigh(batch(512, 0), 0)).isBetween(30, 1_000);
        assertThat(weigh(batch(1, 0), 0)).isLessThan(1_000);
        assertThat(weigh(batch(1, 1), 0)).isGreaterThan(HEADER_BYTES);
    }

    @Test
    void headersAtOnePlaceOfEachBatch_thatComeLater_areFoundWithinAsManyBatchesAsTheStride() {
        weights.look(batch(512, 0));
        int found = 0;
        for (int n = 0; n < RecordWeights.STRIDE; n++) {
            found += weigh(batch(512, 64), 63) > HEADER_BYTES ? 1 : 0;
        }
        assertThat(found).isPositive();
        assertThat(weigh(batch(1, 1), 0)).as("from then on").isGreaterThan(HEADER_BYTES);
        assertThat(weigh(batch(1, 0), 0)).isLessThan(1_000);
    }

    @Test
    void weight_isTheContentWithItsOverhead() {
        assertThat(weigh(batch(1, 0), 0)).isEqualTo(128 + 30);
        assertThat(weigh(batch(2, 1), 1)).isEqualTo(128 + 30 + 96 + "trace".length() + HEADER_BYTES);
        Headers headers = new RecordHeaders().add("a", null).add("bcd", new byte[7]);
        Fetched record = new Fetched.OfRecord(new ConsumerRecord<>(
                "t", 0, 0, 0, TimestampType.CREATE_TIME, -1, 20, null, new byte[20], headers, Optional.empty()));
        assertThat(weights.of(record)).isEqualTo(128 + 20 + (96 + 1) + (96 + 3 + 7));
    }

    /** Later batches are checked at other places, so that no place is left out. */
    @Test
    void headersAtTheLastPlaceOfSmallBatches_areFound() {
        weights.look(batch(3, 0));
        int batches = 0;
        while (weigh(batch(3, 3), 2) < HEADER_BYTES) {
            batches++;
        }
        assertThat(batches).isLessThan(3);
    }
}
