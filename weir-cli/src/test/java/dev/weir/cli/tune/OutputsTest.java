package dev.weir.cli.tune;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.examples.asimov.AsimovPipeline;
import dev.weir.examples.asimov.EventGenerator;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;

class OutputsTest {
    /** Number of events, large enough for some dead-letter records. */
    private static final int EVENTS = 500;

    private static final EventGenerator TRAFFIC = new EventGenerator(42);

    private final Outputs first = outputs(records -> {});

    @Test
    void flaw_ofEqualOutputs_isNone() {
        assertThat(first.flaw(first)).isNull();
        assertThat(outputs(records -> {}).flaw(first)).isNull();
    }

    @Test
    void flaw_ofOneChangedRecord_saysThatItDiffers() {
        int event = firstSound();
        ConsumerRecord<byte[], byte[]> sound = record(event);
        byte[] value = sound.value().clone();
        value[value.length - 1] ^= 1;
        Headers more = new RecordHeaders(sound.headers()).add("added", new byte[0]);
        byte[] shorter = {sound.value()[0]};

        for (ConsumerRecord<byte[], byte[]> changed : List.of(
                copy(sound, sound.timestamp(), value, sound.headers()),
                copy(sound, sound.timestamp(), shorter, sound.headers()),
                copy(sound, sound.timestamp() + 1, sound.value(), sound.headers()),
                copy(sound, sound.timestamp(), sound.value(), more))) {
            assertThat(outputs(records -> records.set(event, changed)).flaw(first))
                    .isEqualTo("1 of 500 outputs differ from those of the first draft");
        }
    }

    @Test
    void flaw_ofARecordInTheOtherTopic_saysThatItIsMisplaced() {
        int event = firstSound();
        ConsumerRecord<byte[], byte[]> moved = record(AsimovPipeline.DEAD_LETTERS, event);

        assertThat(outputs(records -> records.set(event, moved)).flaw(first))
                .contains("0 are lost, 0 duplicated, 0 out of order, 1 misplaced");
    }

    @Test
    void flaw_ofALostAndOfADoubledRecord_saysHowMany() {
        int last = EVENTS - 1;

        assertThat(outputs(records -> records.remove(last)).flaw(first))
                .isEqualTo(
                        "of 500 events 1 are lost, 0 duplicated, 0 out of order, 0 misplaced; 0 records are foreign");
        assertThat(outputs(records -> records.add(record(last))).flaw(first))
                .contains("0 are lost, 1 duplicated, 0 out of order");
    }

    private static Outputs outputs(Consumer<List<ConsumerRecord<byte[], byte[]>>> change) {
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        for (int event = 0; event < EVENTS; event++) {
            records.add(record(event));
        }
        change.accept(records);
        Outputs outputs = new Outputs(TRAFFIC, EVENTS);
        records.forEach(outputs::add);
        return outputs;
    }

    private static int firstSound() {
        int event = 0;
        while (TRAFFIC.malformed(event).isPresent()) {
            event++;
        }
        return event;
    }

    private static ConsumerRecord<byte[], byte[]> record(int event) {
        return record(
                TRAFFIC.malformed(event).isPresent() ? AsimovPipeline.DEAD_LETTERS : AsimovPipeline.PAGE_VIEWS, event);
    }

    private static ConsumerRecord<byte[], byte[]> record(String topic, int event) {
        Headers headers = new RecordHeaders()
                .add(
                        EventGenerator.SEQUENCE_HEADER,
                        ByteBuffer.allocate(Long.BYTES).putLong(event).array());
        return record(topic, event, 1_000L + event, TRAFFIC.key(TRAFFIC.session(event)), new byte[] {1, 2, 3}, headers);
    }

    private static ConsumerRecord<byte[], byte[]> copy(
            ConsumerRecord<byte[], byte[]> from, long timestamp, byte[] value, Headers headers) {
        return record(from.topic(), from.offset(), timestamp, from.key(), value, headers);
    }

    private static ConsumerRecord<byte[], byte[]> record(
            String topic, long offset, long timestamp, byte[] key, byte[] value, Headers headers) {
        return new ConsumerRecord<>(
                topic,
                0,
                offset,
                timestamp,
                TimestampType.CREATE_TIME,
                key.length,
                value.length,
                key,
                value,
                headers,
                Optional.empty());
    }
}
