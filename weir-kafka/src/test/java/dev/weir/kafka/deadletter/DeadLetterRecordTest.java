package dev.weir.kafka.deadletter;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.deadletter.DeadLetterFormat.Field;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests reading dead-letter records of Kafka Connect, brokers, other tools and users' own formats. The expected formats
 * come from the tools' source code.
 */
class DeadLetterRecordTest {

    private static final byte[] KEY = "k".getBytes(UTF_8);
    private static final byte[] VALUE = "v".getBytes(UTF_8);
    private static final long WRITTEN = 1_700_000_000_000L;
    private static final String YEAR_ONE = "-62135596800000";

    private final RecordHeaders headers = new RecordHeaders();

    DeadLetterRecordTest() {
        headers.add("own", VALUE);
    }

    private DeadLetterRecordTest text(String name, String value) {
        headers.add(name, value.getBytes(UTF_8));
        return this;
    }

    private ConsumerRecord<byte[], byte[]> deadLetter(byte @Nullable [] key, byte @Nullable [] value) {
        return new ConsumerRecord<>(
                "dead", 0, 5, WRITTEN, TimestampType.CREATE_TIME, 1, 1, key, value, headers, Optional.empty());
    }

    private DeadLetterRecord read() {
        return DeadLetterRecord.read(deadLetter(KEY, VALUE));
    }

    private static void assertRestored(
            DeadLetterRecord deadLetter, String topic, @Nullable Integer partition, @Nullable Long timestamp) {
        ProducerRecord<byte[], byte[]> restored = deadLetter.restored();
        assertThat(restored.topic()).isEqualTo(topic);
        assertThat(restored.partition()).isEqualTo(partition);
        assertThat(restored.timestamp()).isEqualTo(timestamp);
        assertThat(restored.key()).isEqualTo(KEY);
        assertThat(restored.value()).isEqualTo(VALUE);
        assertThat(restored.headers()).extracting(Header::key).containsExactly("own");
        assertThat(deadLetter.restoredTo("other").partition()).isNull();
    }

    private DeadLetterRecordTest binary(String name, int bytes, long number) {
        ByteBuffer value = ByteBuffer.allocate(bytes);
        headers.add(name, (bytes == Integer.BYTES ? value.putInt((int) number) : value.putLong(number)).array());
        return this;
    }

    private DeadLetterRecordTest connect() {
        return text("__connect.errors.topic", "orders")
                .text("__connect.errors.partition", "3")
                .text("__connect.errors.offset", "17")
                .text("__connect.errors.connector.name", "files")
                .text("__connect.errors.task.id", "0")
                .text("__connect.errors.stage", "VALUE_CONVERTER")
                .text("__connect.errors.class.name", "org.apache.kafka.connect.json.JsonConverter")
                .text("__connect.errors.exception.class.name", "org.apache.kafka.connect.errors.DataException")
                .text("__connect.errors.exception.message", "no JSON")
                .text("__connect.errors.exception.stacktrace", "org...");
    }

    @Test
    void connect_isRead_andItsTimestampIsTheRecords() {
        DeadLetterRecord deadLetter = connect().read();
        assertThat(deadLetter.format()).isEqualTo(DeadLetterFormat.CONNECT);
        assertThat(deadLetter.origin()).isEqualTo("orders-3@17");
        assertThat(deadLetter.text(Field.REASON)).isEqualTo("VALUE_CONVERTER");
        assertThat(deadLetter.text(Field.CAUSE)).endsWith("DataException");
        assertThat(deadLetter.text(Field.MESSAGE)).isEqualTo("no JSON");
        assertThat(deadLetter.text(Field.GROUP)).isNull();
        assertRestored(deadLetter, "orders", 3, WRITTEN);
    }

    /** Spring writes binary numbers, and adds headers for each topic of the record in order. */
    @Test
    void spring_readsBinaryNumbers_andTheFirstTopic() {
        for (String topic : new String[] {"orders", "orders-retry-0"}) {
            text("kafka_dlt-original-topic", topic);
            headers.add(
                    "kafka_dlt-original-partition",
                    ByteBuffer.allocate(4).putInt(2).array());
            headers.add(
                    "kafka_dlt-original-offset",
                    ByteBuffer.allocate(8).putLong(5_000_000_000L).array());
            headers.add(
                    "kafka_dlt-original-timestamp",
                    ByteBuffer.allocate(8).putLong(WRITTEN - 7).array());
        }
        DeadLetterRecord deadLetter = text("kafka_dlt-exception-fqcn", "Listener")
                .text("kafka_dlt-exception-cause-fqcn", "Root")
                .read();
        assertThat(deadLetter.format()).isEqualTo(DeadLetterFormat.SPRING);
        assertThat(deadLetter.origin()).isEqualTo("orders-2@5000000000");
        assertThat(deadLetter.text(Field.CAUSE)).isEqualTo("Root");
        assertThat(deadLetter.text(Field.OFFSET)).isEqualTo("5000000000");
        assertThat(deadLetter.time()).isEqualTo(Instant.ofEpochMilli(WRITTEN));
        assertRestored(deadLetter, "orders", 2, WRITTEN - 7);
    }

    /** The headers written by {@code KafkaMessageChannelBinder} of Spring Cloud Stream. */
    @Test
    void springCloudStream_readsBinaryNumbers_andTakesItsHeadersOut() {
        DeadLetterRecord deadLetter = text("x-original-topic", "orders")
                .binary("x-original-partition", Integer.BYTES, 3)
                .binary("x-original-offset", Long.BYTES, 5_000_000_000L)
                .binary("x-original-timestamp", Long.BYTES, WRITTEN - 7)
                .text("x-original-timestamp-type", "CreateTime")
                .text("x-exception-fqcn", "java.io.IOException")
                .text("x-exception-message", "no route")
                .text("x-exception-stacktrace", "java.io...")
                .read();
        assertThat(deadLetter.format()).isEqualTo(DeadLetterFormat.SPRING_CLOUD_STREAM);
        assertThat(deadLetter.origin()).isEqualTo("orders-3@5000000000");
        assertThat(deadLetter.text(Field.CAUSE)).isEqualTo("java.io.IOException");
        assertThat(deadLetter.text(Field.MESSAGE)).isEqualTo("no route");
        assertRestored(deadLetter, "orders", 3, WRITTEN - 7);
    }

    @Test
    void springCloudStream_withoutATimestamp_hasNone() {
        assertThat(text("x-original-topic", "orders").read().timestamp()).isNull();
    }

    @Test
    void headersOfYourOwn_takeBinaryNumbers() {
        DeadLetterFormat format = DeadLetterFormat.headers(
                Map.of(Field.TOPIC, "from", Field.PARTITION, "shard", Field.OFFSET, "at", Field.TIMESTAMP, "written"));
        text("from", "orders")
                .binary("shard", Long.BYTES, 3)
                .binary("at", Integer.BYTES, 17)
                .binary("written", Long.BYTES, WRITTEN - 7);
        DeadLetterRecord deadLetter = DeadLetterRecord.read(deadLetter(KEY, VALUE), format);
        assertThat(deadLetter.origin()).isEqualTo("orders-3@17");
        assertRestored(deadLetter, "orders", 3, WRITTEN - 7);
    }

    @Test
    void timeInAHeaderOfYourOwn_takesABinaryNumber() {
        DeadLetterFormat format = DeadLetterFormat.headers(Map.of(Field.TOPIC, "from", Field.TIME, "died"));
        ConsumerRecord<byte[], byte[]> died =
                text("from", "orders").binary("died", Long.BYTES, WRITTEN - 7).deadLetter(KEY, VALUE);
        DeadLetterRecord deadLetter = DeadLetterRecord.read(died, format);
        assertThat(deadLetter.time()).isEqualTo(Instant.ofEpochMilli(WRITTEN - 7));
        assertThat(deadLetter.text(Field.TIME)).isEqualTo(deadLetter.time().toString());
    }

    /** Some producers write a missing time as the year 1, which is a negative timestamp, and brokers store it. */
    @Test
    void negativeTimestamp_isNone_inEveryFormat() {
        long zeroTime = -62_135_596_800_000L;
        DeadLetterRecord own = text(DeadLetterHeaders.TOPIC, "orders")
                .text(DeadLetterHeaders.PARTITION, "1")
                .text(DeadLetterHeaders.OFFSET, "2")
                .text(DeadLetterHeaders.TIME, "2026-11-23T08:00:00Z")
                .text(DeadLetterHeaders.TIMESTAMP, Long.toString(zeroTime))
                .read();
        assertThat(own.restored().timestamp()).isNull();
        assertThat(own.restoredTo("elsewhere").timestamp()).isNull();
        assertThat(new DeadLetterRecordTest()
                        .text("kafka_dlt-original-topic", "orders")
                        .binary("kafka_dlt-original-timestamp", Long.BYTES, zeroTime)
                        .read()
                        .restored()
                        .timestamp())
                .isNull();
        ConsumerRecord<byte[], byte[]> connect =
                new DeadLetterRecordTest().connect().deadLetter(KEY, VALUE);
        DeadLetterRecord old = DeadLetterRecord.read(new ConsumerRecord<>(
                connect.topic(),
                connect.partition(),
                connect.offset(),
                zeroTime,
                TimestampType.CREATE_TIME,
                1,
                1,
                KEY,
                VALUE,
                connect.headers(),
                Optional.empty()));
        assertThat(old.restored().timestamp()).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "4294967296"})
    void partitionThatNoneCanHave_isRefused(String partition) {
        text(DeadLetterHeaders.TOPIC, "orders")
                .text(DeadLetterHeaders.PARTITION, partition)
                .text(DeadLetterHeaders.OFFSET, "2");
        assertThatThrownBy(this::read)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(
                        "dead-0@5 cannot be read: its header weir-dlq-partition is not a number from 0 to 2147483647");
        assertThat(DeadLetterFormat.WEIR.fits(deadLetter(KEY, VALUE))).isTrue();
    }

    @Test
    void format_fitsRecordsWithItsHeaders_andNumbersWhereYourOwnHasThem() {
        DeadLetterFormat format = DeadLetterFormat.headers(Map.of(Field.TOPIC, "from", Field.PARTITION, "shard"));
        text("from", "orders");
        assertThat(format.fits(deadLetter(KEY, VALUE))).isTrue();
        assertThat(DeadLetterFormat.WEIR.fits(deadLetter(KEY, VALUE))).isFalse();
        text("shard", "-1");
        assertThat(format.fits(deadLetter(KEY, VALUE))).isTrue();
        headers.remove("shard");
        text("shard", "acme");
        assertThat(format.fits(deadLetter(KEY, VALUE))).isFalse();
    }

    private DeadLetterRecord broker() {
        headers.remove("own");
        text("__dlq.errors.topic", "orders")
                .text("__dlq.errors.partition", "3")
                .text("__dlq.errors.offset", "17")
                .text("__dlq.errors.group", "workers")
                .text("__dlq.errors.delivery.count", "5")
                .text("__dlq.errors.message", "Offset rejected by client.");
        return DeadLetterRecord.read(deadLetter(null, null));
    }

    @Test
    void broker_lacksItsRecord_untilItIsCompleted() {
        DeadLetterRecord deadLetter = broker();
        assertThat(deadLetter.format()).isEqualTo(DeadLetterFormat.SHARE_GROUP);
        assertThat(deadLetter.text(Field.GROUP)).isEqualTo("workers");
        assertThat(deadLetter.text(Field.ATTEMPTS)).isEqualTo("5");
        assertThat(deadLetter.lacksRecord()).isTrue();
        assertThat(deadLetter.timestamp()).isNull();
        assertThatThrownBy(deadLetter::restored)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(
                        "the dead-letter record of orders-3@17 lacks its original: complete it by OriginalRecords.find");

        RecordHeaders own = new RecordHeaders();
        own.add("own", VALUE);
        DeadLetterRecord whole = deadLetter.with(new ConsumerRecord<>(
                "orders", 3, 17, 99, TimestampType.CREATE_TIME, 1, 1, KEY, VALUE, own, Optional.empty()));
        assertThat(whole.lacksRecord()).isFalse();
        assertThat(whole.header("own")).isEqualTo("v");
        assertThat(whole.header("__dlq.errors.group")).isEqualTo("workers");
        assertRestored(whole, "orders", 3, 99L);
    }

    /** The record came back from Connect's dead-letter topic and then failed in Weir. */
    @Test
    void letterOfALetter_isOfWhoWroteLast_andKeepsTheOthersHeaders() {
        DeadLetterRecord deadLetter = connect()
                .text(DeadLetterHeaders.TOPIC, "mended")
                .text(DeadLetterHeaders.PARTITION, "1")
                .text(DeadLetterHeaders.OFFSET, "2")
                .text(DeadLetterHeaders.TIME, "2026-11-23T08:00:00Z")
                .read();
        assertThat(deadLetter.format()).isEqualTo(DeadLetterFormat.WEIR);
        assertThat(deadLetter.origin()).isEqualTo("mended-1@2");
        assertThat(deadLetter.time()).isEqualTo(Instant.parse("2026-11-23T08:00:00Z"));
        assertThat(deadLetter.originalHeaders())
                .hasSize(11)
                .first()
                .satisfies(first -> assertThat(first.key()).isEqualTo("own"));
        assertThat(DeadLetterRecord.read(deadLetter(KEY, VALUE), DeadLetterFormat.CONNECT)
                        .origin())
                .isEqualTo("orders-3@17");
    }

    @Test
    void headersOfYourOwn_needATopicOnly() {
        DeadLetterFormat format =
                DeadLetterFormat.headers(Map.of(Field.TOPIC, "from", Field.OFFSET, "at", Field.MESSAGE, "why"));
        DeadLetterRecord deadLetter = DeadLetterRecord.read(
                text("from", "orders").text("why", "because").deadLetter(KEY, VALUE), format);
        assertThat(deadLetter.origin()).isEqualTo("orders-?@?");
        assertThat(deadLetter.text(Field.MESSAGE)).isEqualTo("because");
        assertRestored(deadLetter, "orders", null, WRITTEN);

        assertThatThrownBy(() -> DeadLetterFormat.headers(Map.of(Field.OFFSET, "at")))
                .hasMessageContaining("there must be a header that names the topic");
        assertThatThrownBy(() -> DeadLetterFormat.headers(Map.of(Field.TOPIC, "at", Field.OFFSET, "at")))
                .hasMessageContaining("each field needs its own header");
    }

    /** The header names of Kafka Streams 4.3 ({@code ExceptionHandlerUtils}) and SmallRye, as listed in the guide. */
    @ParameterizedTest
    @CsvSource({
        "__streams.errors.topic, __streams.errors.partition, __streams.errors.offset, __streams.errors.message",
        "dead-letter-topic, dead-letter-partition, dead-letter-offset, dead-letter-reason"
    })
    void headersOfOthers_areReadByTheNamesInTheGuide(String topic, String partition, String offset, String why) {
        DeadLetterFormat format = DeadLetterFormat.headers(
                Map.of(Field.TOPIC, topic, Field.PARTITION, partition, Field.OFFSET, offset, Field.MESSAGE, why));
        DeadLetterRecord deadLetter = DeadLetterRecord.read(
                text(topic, "orders")
                        .text(partition, "3")
                        .text(offset, "17")
                        .text(why, "no JSON")
                        .deadLetter(KEY, VALUE),
                format);
        assertThat(deadLetter.origin()).isEqualTo("orders-3@17");
        assertThat(deadLetter.text(Field.MESSAGE)).isEqualTo("no JSON");
        assertRestored(deadLetter, "orders", 3, WRITTEN);
    }

    /** Regression: a dead-letter record with a negative timestamp stopped every replay. */
    @ParameterizedTest
    @ValueSource(strings = {YEAR_ONE, "-2", "-1"})
    void weirsLetter_ofANegativeTimestamp_isRestoredWithoutOne(String timestamp) {
        DeadLetterRecord deadLetter = text(DeadLetterHeaders.TOPIC, "orders")
                .text(DeadLetterHeaders.PARTITION, "3")
                .text(DeadLetterHeaders.OFFSET, "17")
                .text(DeadLetterHeaders.TIMESTAMP, timestamp)
                .read();

        assertRestored(deadLetter, "orders", 3, null);
        assertThat(deadLetter.restoredTo("other").timestamp()).isNull();
    }

    private DeadLetterRecordTest weir() {
        return text(DeadLetterHeaders.TOPIC, "orders")
                .text(DeadLetterHeaders.PARTITION, "3")
                .text(DeadLetterHeaders.OFFSET, "17");
    }

    @Test
    void weirsRecord_hasTheTimestampThatItsHeadersTell() {
        assertRestored(weir().read(), "orders", 3, WRITTEN);
        assertRestored(text(DeadLetterHeaders.TIME, "any day").read(), "orders", 3, null);
        assertThat(read().time()).as("a wrong time is none").isEqualTo(Instant.ofEpochMilli(WRITTEN));
        assertRestored(text(DeadLetterHeaders.TIMESTAMP, "77").read(), "orders", 3, 77L);
    }

    @Test
    void weirsRecord_withAHeaderTwice_hasTheLast() {
        weir().text(DeadLetterHeaders.TOPIC, "bills")
                .text(DeadLetterHeaders.REASON, "A")
                .text(DeadLetterHeaders.REASON, "B");
        assertThat(read().topic()).isEqualTo("bills");
        assertThat(read().text(Field.REASON)).isEqualTo("B");
    }

    @Test
    void weirsRecord_thatIsCutOrABatch_isNotWhole() {
        assertThat(weir().read().isWhole()).isTrue();
        assertThat(text(DeadLetterHeaders.CUT, "value of 3 bytes").read().isWhole())
                .isFalse();
        headers.remove(DeadLetterHeaders.CUT);
        assertThat(text(DeadLetterHeaders.BATCH, "5-204").read().isWhole()).isFalse();
    }

    @Test
    void weirsRecord_withoutItsPlace_isRefused() {
        text(DeadLetterHeaders.TOPIC, "orders").text(DeadLetterHeaders.OFFSET, "17");
        assertThatThrownBy(this::read)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("dead-0@5 is a dead-letter record of format weir that does not say from which partition"
                        + " and offset");
        text(DeadLetterHeaders.PARTITION, "3").text(DeadLetterHeaders.TIMESTAMP, "noon");
        assertThatThrownBy(this::read)
                .hasMessage("dead-0@5 cannot be read: its header weir-dlq-timestamp is not a timestamp in milliseconds"
                        + " since 1970");
    }

    @Test
    void connectsLetter_ofANegativeTimestamp_isRestoredWithoutOne() {
        connect();
        DeadLetterRecord deadLetter = DeadLetterRecord.read(new ConsumerRecord<>(
                "dead",
                0,
                5,
                Long.parseLong(YEAR_ONE),
                TimestampType.CREATE_TIME,
                1,
                1,
                KEY,
                VALUE,
                headers,
                Optional.empty()));

        assertRestored(deadLetter, "orders", 3, null);
    }

    private static DeadLetterRecord ofYourOwn(String field, String value) {
        DeadLetterFormat format = DeadLetterFormat.headers(Map.of(
                Field.TOPIC, "from", Field.PARTITION, "shard", Field.TIMESTAMP, "written", Field.TIME, "failed"));
        return DeadLetterRecord.read(
                new DeadLetterRecordTest()
                        .text("from", "orders")
                        .text(field, value)
                        .deadLetter(KEY, VALUE),
                format);
    }

    @Test
    void times_areIsoOrMillis_andOthersAreRefused_notReplacedByTheLetters() {
        Instant time = Instant.parse("2026-11-23T08:00:00Z");
        assertThat(ofYourOwn("failed", "2026-11-23T08:00:00Z").time()).isEqualTo(time);
        assertThat(ofYourOwn("failed", Long.toString(time.toEpochMilli())).time())
                .isEqualTo(time);
        assertThat(ofYourOwn("written", "77").timestamp()).isEqualTo(77);
        assertThat(ofYourOwn("written", "-1").timestamp()).as("it had none").isEqualTo(WRITTEN);
        assertThat(ofYourOwn("written", YEAR_ONE).timestamp())
                .as("no producer takes it")
                .isEqualTo(WRITTEN);
        assertThatThrownBy(() -> ofYourOwn("failed", "yesterday"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("dead-0@5 cannot be read: its header failed is not a time: ISO 8601");
        assertThatThrownBy(() -> ofYourOwn("written", "2026-11-23"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "dead-0@5 cannot be read: its header written is not a timestamp in milliseconds since 1970");
    }

    @Test
    void textOfFourLetters_isNoBinaryNumber() {
        assertThat(ofYourOwn("shard", "1234").partition()).isEqualTo(1234);
        assertThatThrownBy(() -> ofYourOwn("shard", "null"))
                .hasMessageContaining("its header shard is not a number from 0 to");
    }

    @Test
    void noLetter_andNoNumber_areRefusedByPlaceAndHeader() {
        assertThatThrownBy(this::read)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "dead-0@5 is not a dead-letter record of a known format: it has none of the headers weir-dlq-topic,"
                                + " kafka_dlt-original-topic, kafka_original-topic, x-original-topic, __connect.errors.topic, __dlq.errors.topic");
        text("__connect.errors.topic", "orders").text("__connect.errors.offset", "many");
        assertThatThrownBy(this::read)
                .hasMessage("dead-0@5 cannot be read: its header __connect.errors.offset is not a number from 0 to "
                        + Long.MAX_VALUE);
        ConsumerRecord<byte[], byte[]> again = deadLetter(KEY, VALUE);
        assertThatThrownBy(() -> DeadLetterRecord.read(again, DeadLetterFormat.SPRING))
                .hasMessageContaining(
                        "is not a dead-letter record of format spring: it has no header kafka_dlt-original-topic or");
    }

    @Test
    void brokersLetter_withoutOffset_isRefused() {
        text("__dlq.errors.topic", "orders").text("__dlq.errors.partition", "3");
        assertThatThrownBy(this::read).hasMessageContaining("does not say from which partition and offset");
    }
}
