package dev.weir.cli.replay;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.cli.terminal.Instants;
import dev.weir.kafka.letter.Letter;
import dev.weir.kafka.letter.LetterFormat;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.TypeConversionException;

/** The dead-letter records that a replay's options select. */
class SelectionTest {

    private static final Instant TIME = Instant.parse("2026-11-23T08:00:00Z");

    private static ConsumerRecord<byte[], byte[]> record(String... headers) {
        RecordHeaders all = new RecordHeaders();
        for (int i = 0; i < headers.length; i += 2) {
            all.add(headers[i], headers[i + 1].getBytes(UTF_8));
        }
        return new ConsumerRecord<>(
                "dead",
                0,
                1,
                TIME.toEpochMilli(),
                TimestampType.CREATE_TIME,
                1,
                1,
                "k".getBytes(UTF_8),
                new byte[0],
                all,
                Optional.empty());
    }

    private static boolean takes(Letter letter, String... filters) {
        List<ReplayFilter> all =
                Stream.of(filters).map(new ReplayFilter.Converter()::convert).toList();
        return new Selection(null, all, null, null).mayTake(letter);
    }

    @Test
    void filters_lookAtFieldsOfEveryFormat_andAtHeaders() {
        Letter letter = Letter.read(record(
                "tenant", "a=b",
                "__connect.errors.topic", "orders",
                "__connect.errors.offset", "17",
                "__connect.errors.stage", "VALUE_CONVERTER",
                "__connect.errors.exception.message", "no JSON"));
        assertThat(takes(letter, "topic=orders", "offset=17", "reason=VALUE_CONVERTER", "message=JSON", "key=k"))
                .isTrue();
        assertThat(takes(letter, "header.tenant=a=b", "time=2026-11-23T08")).isTrue();
        assertThat(takes(letter, "header.tenant=a")).isFalse();
        assertThat(takes(letter, "message=XML")).isFalse();
        assertThat(takes(letter, "partition=0")).as("it does not say").isFalse();
    }

    /** Key and headers of a broker's dead-letter record are known only once its original is. */
    @Test
    void filtersOfTheRecord_waitForTheOriginal() {
        Letter letter = Letter.read(
                record("__dlq.errors.topic", "orders", "__dlq.errors.partition", "0", "__dlq.errors.offset", "17"));
        assertThat(takes(letter, "key=other", "header.tenant=a")).isTrue();
        assertThat(takes(letter, "key=other", "offset=18")).isFalse();
    }

    @Test
    void since_includesItsTime_andUntilDoesNot() {
        Letter letter = Letter.read(record("__connect.errors.topic", "orders"));
        assertThat(new Selection(null, List.of(), TIME, TIME.plusMillis(1)).mayTake(letter))
                .isTrue();
        assertThat(new Selection(null, List.of(), TIME.plusMillis(1), null).mayTake(letter))
                .isFalse();
        assertThat(new Selection(null, List.of(), null, TIME).mayTake(letter)).isFalse();
    }

    @Test
    void times_areReadWithTheirZone_orAsADay() {
        assertThat(new Instants().convert("2026-11-23T09:00:00+01:00")).isEqualTo(TIME);
        assertThat(new Instants().convert("2026-11-23")).isEqualTo(Instant.parse("2026-11-23T00:00:00Z"));
        assertThatThrownBy(() -> new Instants().convert("2026-11-23T09:00"))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageContaining("is no time: write");
    }

    @Test
    void letterWithoutReasonAndMessage_isPrintedWithout() {
        Letter letter = Letter.read(record("__connect.errors.topic", "orders"));
        assertThat(ReplayNote.wouldSend(letter, letter.restored()).text().strip())
                .isEqualTo("orders-?@? -> orders");
    }

    @Test
    void originHeaders_areAFormat_andWrongOnesAreTold() {
        LetterFormat format = new OriginHeaders().convert("topic=x-topic,offset=x-offset");
        assertThat(new Selection(format, List.of(), null, null)
                        .read(record("x-topic", "orders", "x-offset", "3"))
                        .origin())
                .isEqualTo("orders-?@3");
        // Beside the known formats, not instead of them.
        assertThat(new Selection(format, List.of(), null, null)
                        .read(record("__connect.errors.topic", "bills"))
                        .format())
                .isEqualTo(LetterFormat.CONNECT);
        assertThatThrownBy(() -> new Selection(format, List.of(), null, null).read(record("x-tpoic", "orders")))
                .hasMessageContaining("it has no header x-topic");
        assertThatThrownBy(() -> new Selection(LetterFormat.WEIR, List.of(), null, null)
                        .read(record("__connect.errors.topic", "bills")))
                .hasMessageContaining("is no dead letter of Weir");
        for (String wrong :
                List.of("offset=x", "topic=", "topic=a,topic=b", "tpoic=a", "topic=a,", "topic=a,offset=a")) {
            assertThatThrownBy(() -> new OriginHeaders().convert(wrong))
                    .as(wrong)
                    .isInstanceOf(TypeConversionException.class)
                    .hasMessageContaining("'" + wrong + "'");
        }
    }
}
