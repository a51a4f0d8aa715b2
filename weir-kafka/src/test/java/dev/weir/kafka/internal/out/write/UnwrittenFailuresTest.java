package dev.weir.kafka.internal.out.write;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.deadletter.FailedRecord;
import dev.weir.kafka.internal.handler.UnwrittenRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UnwrittenFailuresTest {

    private static final long TIMESTAMP = 1_234;

    /** Rejects the text "bad", and adds a header to each record that it serializes. */
    private static final class Picky extends StringSerializer {

        @Override
        public byte[] serialize(String topic, Headers headers, String data) {
            headers.add("seen", new byte[0]);
            if (data.equals("bad")) {
                throw new SerializationException("bad");
            }
            if (data.equals("deep")) {
                throw new StackOverflowError("planted");
            }
            return super.serialize(topic, data);
        }
    }

    private final UnwrittenFailures<String, String> failures =
            new UnwrittenFailures<>(ProducerSettings.builder(new Picky(), new Picky())
                    .bootstrapServers("h:1")
                    .build());
    private final Exception refusal = new RecordTooLargeException("planted");

    private FailedRecord failed(ProducerRecord<String, String> record, String place) {
        return failures.failed(record, refusal, place);
    }

    private static UnwrittenRecord raw(FailedRecord failed) {
        return (UnwrittenRecord) failed.raw();
    }

    @ParameterizedTest
    @CsvSource({
        "orders-3@17, orders, 3, 17",
        "orders-3@17 and 2 more, orders, 3, 17",
        "a-b-1-12@0, a-b-1, 12, 0",
        "'', out, -1, -1",
        "orders-3, out, -1, -1",
        "orders-3@17 or so, out, -1, -1",
        // A source of another kind. Regression: the number did not fit, and the run failed.
        "day-20261201050836@4, out, -1, -1",
        "day-1@99999999999999999999, out, -1, -1"
    })
    void input_isThatOfAKafkaRecord_orUnknown(String place, String topic, int partition, long offset) {
        UnwrittenRecord raw = raw(failed(new ProducerRecord<>("out", "k", "v"), place));
        assertThat(raw.topic()).isEqualTo(topic);
        assertThat(raw.partition()).isEqualTo(partition);
        assertThat(raw.offset()).isEqualTo(offset);
        assertThat(raw.output()).isEqualTo("out");
    }

    @Test
    void record_isKeptAsBytes_withItsTimestampAndHeaders() {
        ProducerRecord<String, String> record = new ProducerRecord<>("out", null, TIMESTAMP, "k", "v");
        record.headers().add("h", new byte[] {1});
        FailedRecord failed = failed(record, "");
        assertThat(failed.reason()).isEqualTo(FailedRecord.Reason.WRITE);
        assertThat(failed.cause()).isSameAs(refusal);
        assertThat(failed.attempts()).isZero();
        assertThat(failed.retriable()).isFalse();
        UnwrittenRecord raw = raw(failed);
        assertThat(raw.key()).isEqualTo("k".getBytes(UTF_8));
        assertThat(raw.value()).isEqualTo("v".getBytes(UTF_8));
        assertThat(raw.timestamp()).isEqualTo(TIMESTAMP);
        assertThat(raw.headers()).extracting(each -> each.key()).containsExactly("h");
        assertThat(raw.missing()).isEmpty();
    }

    @Test
    void recordWithoutKeyValueOrTimestamp_lacksNothing() {
        UnwrittenRecord raw = raw(failed(new ProducerRecord<>("out", null, null), ""));
        assertThat(raw.key()).isNull();
        assertThat(raw.value()).isNull();
        assertThat(raw.timestamp()).isEqualTo(ConsumerRecord.NO_TIMESTAMP);
        assertThat(raw.missing()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "bad, v, key not serialisable",
        "k, bad, value not serialisable",
        "deep, deep, key not serialisable value not serialisable"
    })
    void partThatCannotBeSerialized_isNamed(String key, String value, String missing) {
        UnwrittenRecord raw = raw(failed(new ProducerRecord<>("out", key, value), ""));
        assertThat(raw.missing()).isEqualTo(missing);
        assertThat(raw.key() == null).isEqualTo(missing.contains("key"));
        assertThat(raw.value() == null).isEqualTo(missing.contains("value"));
    }
}
