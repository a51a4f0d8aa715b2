package dev.weir.cli.records;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that a record is printed as one line, and that its text does not control the terminal. */
class RecordFormatTest {

    private static ConsumerRecord<byte[], byte[]> record(
            long timestamp, byte @Nullable [] key, byte @Nullable [] value, RecordHeaders headers) {
        int none = ConsumerRecord.NULL_SIZE;
        return new ConsumerRecord<>(
                "t", 2, 7, timestamp, TimestampType.CREATE_TIME, none, none, key, value, headers, Optional.empty());
    }

    private static String line(RecordFormat format, ConsumerRecord<byte[], byte[]> record) {
        return new String(format.line(record), UTF_8);
    }

    @Test
    void text_ofARecord_hasItsColumns() {
        RecordHeaders headers = new RecordHeaders();
        headers.add("source", "web".getBytes(UTF_8)).add("none", null);
        assertThat(line(RecordFormat.text, record(0, "k".getBytes(UTF_8), "v".getBytes(UTF_8), headers)))
                .isEqualTo("2:7\t1970-01-01T00:00:00Z\tk\tv\tsource=web,none=null\n");
        assertThat(line(RecordFormat.text, record(-1, null, null, new RecordHeaders())))
                .isEqualTo("2:7\t-\tnull\tnull\n");
    }

    @Test
    void json_ofARecord_hasItsFields() {
        RecordHeaders headers = new RecordHeaders();
        headers.add("source", "web".getBytes(UTF_8)).add("none", null);
        assertThat(line(RecordFormat.json, record(5, null, "wörter \"x\"".getBytes(UTF_8), headers)))
                .isEqualTo("{\"topic\":\"t\",\"partition\":2,\"offset\":7,\"timestamp\":5,\"key\":null,"
                        + "\"value\":\"w\\u00F6rter \\\"x\\\"\",\"headers\":[[\"source\",\"web\"],[\"none\",null]]}\n");
    }

    @Test
    void json_ofBytesThatAreNoText_hasThemAsBase64Too() {
        assertThat(line(RecordFormat.json, record(5, new byte[] {-1}, "v".getBytes(UTF_8), new RecordHeaders())))
                .contains("\"key\":\"\\uFFFD\",\"key_base64\":\"/w==\",\"value\":\"v\",\"headers\"");
    }

    @Test
    void json_ofAHeaderThatIsNoText_hasItAsBase64Too() {
        RecordHeaders headers = new RecordHeaders();
        headers.add("number", new byte[] {0, 0, 0, -1}).add("source", "web".getBytes(UTF_8));
        assertThat(line(RecordFormat.json, record(5, null, null, headers)))
                .contains(
                        "\"headers\":[[\"number\",\"\\u0000\\u0000\\u0000\\uFFFD\",\"AAAA/w==\"],[\"source\",\"web\"]]");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\033[2J",
                "\u009b2J",
                "a\nforged: line",
                "a\rforged",
                "\u202efdp.exe",
                "a\tb",
                "\u2028",
                "\b",
                "\u007f",
                "\0"
            })
    void text_thatWouldActOnATerminal_isEscaped(String hostile) {
        RecordHeaders headers = new RecordHeaders();
        headers.add(hostile, hostile.getBytes(UTF_8));
        byte[] bytes = hostile.getBytes(UTF_8);
        String text = line(RecordFormat.text, record(0, bytes, bytes, headers));
        assertThat(text.split("\t", -1)).hasSize(5);
        assertThat(text.strip()).doesNotContain(hostile).doesNotContain("\n");
        if (!hostile.equals("\u007f")) { // Terminals ignore this character; JSON does not escape it.
            assertThat(line(RecordFormat.json, record(0, bytes, bytes, headers)).strip())
                    .doesNotContain(hostile)
                    .doesNotContain("\n");
        }
    }

    @Test
    void text_ofLanguagesAndEmoji_isLeftAsItIs() {
        String text = "wörter 中文 👩‍🚀";
        assertThat(line(RecordFormat.text, record(0, null, text.getBytes(UTF_8), new RecordHeaders())))
                .contains(text);
    }
}
