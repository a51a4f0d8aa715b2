package dev.weir.cli.replay;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.command.terminal.Instants;
import dev.weir.kafka.deadletter.DeadLetterFormat;
import dev.weir.kafka.deadletter.DeadLetterRecord;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.TypeConversionException;

/** Tests which dead-letter records a replay's options select. */
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

    private static boolean takes(DeadLetterRecord deadLetter, String... filters) {
        List<ReplayFilter> all =
                Stream.of(filters).map(new ReplayFilter.Converter()::convert).toList();
        return new Selection(null, all, null, null).mayTake(deadLetter);
    }

    @Test
    void filters_lookAtFieldsOfEveryFormat_andAtHeaders() {
        DeadLetterRecord deadLetter = DeadLetterRecord.read(record(
                "tenant", "a=b",
                "__connect.errors.topic", "orders",
                "__connect.errors.offset", "17",
                "__connect.errors.stage", "VALUE_CONVERTER",
                "__connect.errors.exception.message", "no JSON"));
        assertThat(takes(deadLetter, "topic=orders", "offset=17", "reason=VALUE_CONVERTER", "message=JSON", "key=k"))
                .isTrue();
        assertThat(takes(deadLetter, "header.tenant=a=b", "time=2026-11-23T08")).isTrue();
        assertThat(takes(deadLetter, "header.tenant=a")).isFalse();
        assertThat(takes(deadLetter, "message=XML")).isFalse();
        assertThat(takes(deadLetter, "partition=0")).as("it does not say").isFalse();
    }

    /** The key and the headers of a broker's dead-letter record are unknown until its original is read. */
    @Test
    void filtersOfTheRecord_waitForTheOriginal() {
        DeadLetterRecord deadLetter = DeadLetterRecord.read(
                record("__dlq.errors.topic", "orders", "__dlq.errors.partition", "0", "__dlq.errors.offset", "17"));
        assertThat(takes(deadLetter, "key=other", "header.tenant=a")).isTrue();
        assertThat(takes(deadLetter, "key=other", "offset=18")).isFalse();
    }

    @Test
    void since_includesItsTime_andUntilDoesNot() {
        DeadLetterRecord deadLetter = DeadLetterRecord.read(record("__connect.errors.topic", "orders"));
        assertThat(new Selection(null, List.of(), TIME, TIME.plusMillis(1)).mayTake(deadLetter))
                .isTrue();
        assertThat(new Selection(null, List.of(), TIME.plusMillis(1), null).mayTake(deadLetter))
                .isFalse();
        assertThat(new Selection(null, List.of(), null, TIME).mayTake(deadLetter))
                .isFalse();
    }

    @Test
    void times_areReadWithTheirZone_orAsADay() {
        assertThat(new Instants().convert("2026-11-23T09:00:00+01:00")).isEqualTo(TIME);
        assertThat(new Instants().convert("2026-11-23")).isEqualTo(Instant.parse("2026-11-23T00:00:00Z"));
        assertThatThrownBy(() -> new Instants().convert("2026-11-23T09:00"))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageContaining("is not a time: write");
    }

    @Test
    void letterWithoutReasonAndMessage_isPrintedWithout() {
        DeadLetterRecord deadLetter = DeadLetterRecord.read(record("__connect.errors.topic", "orders"));
        assertThat(ReplayNote.wouldSend(deadLetter, deadLetter.restored())
                        .text()
                        .strip())
                .isEqualTo("orders-?@? -> orders");
    }

    @Test
    void originHeaders_areAFormat_andWrongOnesAreTold() {
        DeadLetterFormat format = new OriginHeaders().convert("topic=x-topic,offset=x-offset");
        assertThat(new Selection(format, List.of(), null, null)
                        .read(record("x-topic", "orders", "x-offset", "3"))
                        .origin())
                .isEqualTo("orders-?@3");
        // The format is added to the known formats.
        assertThat(new Selection(format, List.of(), null, null)
                        .read(record("__connect.errors.topic", "bills"))
                        .format())
                .isEqualTo(DeadLetterFormat.CONNECT);
        assertThatThrownBy(() -> new Selection(format, List.of(), null, null).read(record("x-tpoic", "orders")))
                .hasMessageContaining("it has no header x-topic");
        assertThatThrownBy(() -> new Selection(DeadLetterFormat.WEIR, List.of(), null, null)
                        .read(record("__connect.errors.topic", "bills")))
                .hasMessageContaining("is not a dead-letter record of format weir");
        for (String wrong :
                List.of("offset=x", "topic=", "topic=a,topic=b", "tpoic=a", "topic=a,", "topic=a,offset=a")) {
            assertThatThrownBy(() -> new OriginHeaders().convert(wrong))
                    .as(wrong)
                    .isInstanceOf(TypeConversionException.class)
                    .hasMessageContaining("'" + wrong + "'");
        }
    }
}
