package dev.weir.kafka.internal.handler;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.deadletter.DeadLetterHeaders;
import dev.weir.kafka.deadletter.DeadLetterTopic;
import dev.weir.kafka.deadletter.FailedRecord;
import dev.weir.kafka.internal.in.fetch.UnreadableBatch;
import dev.weir.kafka.produce.RecordTimestamps;
import dev.weir.stream.spi.Thrown;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;

/**
 * Creates dead-letter records. If a record is too large, it omits the value, then also the key and the original
 * headers. Stateless.
 */
public final class DeadLetterWriter implements FailureRoute {

    static final int MAX_MESSAGE = 1024;
    private static final int MAX_STACK = 4096;

    private final String topic;
    private final String group;
    private final boolean cuts;

    public DeadLetterWriter(DeadLetterTopic deadLetterTopic) {
        this.topic = deadLetterTopic.topic();
        this.group = deadLetterTopic.group();
        this.cuts = deadLetterTopic.whenTooLarge() == DeadLetterTopic.TooLarge.CUT;
    }

    @Override
    public ProducerRecord<byte[], byte[]> propose(FailedRecord failed, int tooLarge) {
        ConsumerRecord<byte[], byte[]> raw = failed.raw();
        if (tooLarge > 0 && !cuts) {
            throw tooLarge(raw);
        }
        boolean bare = tooLarge > 1;
        List<Header> headers = bare ? new ArrayList<>() : RecordOrigin.originalHeaders(raw);
        describe(failed, headers);
        if (tooLarge > 0) {
            add(
                    headers,
                    DeadLetterHeaders.CUT,
                    "value of " + Math.max(0, raw.serializedValueSize()) + " bytes"
                            + (bare ? ", key of " + Math.max(0, raw.serializedKeySize()) + " bytes, all headers" : ""));
        }
        return new ProducerRecord<>(
                topic,
                null,
                Clock.systemUTC().millis(),
                bare ? noBytes() : raw.key(),
                tooLarge > 0 ? noBytes() : raw.value(),
                headers);
    }

    private KafkaPipelineException tooLarge(ConsumerRecord<byte[], byte[]> raw) {
        RecordOrigin origin = RecordOrigin.of(raw);
        return new KafkaPipelineException(
                "the dead-letter record of " + origin.place() + ", with a value of "
                        + Math.max(0, raw.serializedValueSize()) + " bytes, is too large for topic " + topic
                        + ": raise that topic's max.message.bytes and the max.request.size of its producer, or let dead-letter records be cut");
    }

    @SuppressWarnings("NullAway") // Kafka uses null for a missing key or value
    private static byte[] noBytes() {
        return null;
    }

    private void describe(FailedRecord failed, List<Header> headers) {
        RecordOrigin origin = RecordOrigin.of(failed.raw());
        Throwable cause = failed.cause();
        add(headers, DeadLetterHeaders.REASON, failed.reason().name());
        add(headers, DeadLetterHeaders.CAUSE, cause.getClass().getName());
        add(headers, DeadLetterHeaders.MESSAGE, cut(String.valueOf(Thrown.message(cause)), MAX_MESSAGE));
        add(headers, DeadLetterHeaders.STACK, stack(cause));
        add(headers, DeadLetterHeaders.ATTEMPTS, Integer.toString(origin.attempts() + failed.attempts()));
        add(headers, DeadLetterHeaders.TOPIC, origin.topic());
        add(headers, DeadLetterHeaders.PARTITION, Integer.toString(origin.partition()));
        add(headers, DeadLetterHeaders.OFFSET, Long.toString(origin.offset()));
        if (RecordTimestamps.orNone(origin.timestamp()) != null) {
            add(headers, DeadLetterHeaders.TIMESTAMP, Long.toString(origin.timestamp()));
        }
        if (!group.isEmpty()) {
            add(headers, DeadLetterHeaders.GROUP, group);
        }
        add(headers, DeadLetterHeaders.TIME, Clock.systemUTC().instant().toString());
        UnreadableBatch batch = UnreadableBatch.in(failed.raw());
        if (batch != null) {
            add(headers, DeadLetterHeaders.BATCH, batch.offset() + "-" + (batch.nextOffset() - 1));
        }
        if (failed.raw() instanceof UnwrittenRecord unwritten) {
            add(headers, DeadLetterHeaders.OUTPUT, unwritten.output());
            if (!unwritten.missing().isEmpty()) {
                add(headers, DeadLetterHeaders.CUT, unwritten.missing());
            }
        }
    }

    private static String stack(Throwable cause) {
        return cut(Thrown.stackTrace(cause), MAX_STACK);
    }

    static String cut(String text, int length) {
        return text.length() <= length ? text : text.substring(0, length) + "...";
    }

    static void add(List<Header> headers, String name, String value) {
        headers.add(new RecordHeader(name, value.getBytes(UTF_8)));
    }
}
