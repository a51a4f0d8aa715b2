package dev.weir.cli.mcp;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.weir.command.client.ClientFault;
import dev.weir.command.client.ClusterClients;
import dev.weir.command.terminal.CliFailure;
import dev.weir.kafka.deadletter.DeadLetterFormat.Field;
import dev.weir.kafka.deadletter.DeadLetterRecord;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/** Lists the newest records of a dead-letter topic, without a group. Confined to one thread. */
final class DeadLetterTail {

    static final int SHOWN_BYTES = 256;

    private static final int SHOWN_TEXT = 500;

    private static final List<Field> TEXTS =
            List.of(Field.REASON, Field.CAUSE, Field.MESSAGE, Field.ATTEMPTS, Field.GROUP, Field.TIME);

    private static final Duration POLL = Duration.ofMillis(200);

    private final ClusterClients clients;
    private final String topic;
    private final Duration patience;
    private final boolean payloads;

    /**
     * Creates a tail.
     *
     * @param patience time limit for all reads together
     * @param payloads whether to show the first bytes of keys and values
     */
    DeadLetterTail(ClusterClients clients, String topic, Duration patience, boolean payloads) {
        this.clients = clients;
        this.topic = topic;
        this.patience = patience;
        this.payloads = payloads;
    }

    void list(int limit, Answer answer) throws InterruptedException {
        Map<String, Object> config = new HashMap<>(clients.readerConfig());
        config.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        config.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, 256 * 1024);
        try (KafkaConsumer<byte[], byte[]> consumer = clients.configured(
                () -> new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer()))) {
            list(consumer, limit, answer);
        } catch (InterruptException e) {
            boolean ignored = Thread.interrupted(); // clears the interrupt flag, which Kafka's client has set
            throw new InterruptedException();
        } catch (KafkaException e) {
            throw CliFailure.work(
                    "cannot read topic " + topic + ": " + ClientFault.withCause(e),
                    "--connect-timeout waits longer for an answer.",
                    e);
        }
    }

    private void list(KafkaConsumer<byte[], byte[]> consumer, int limit, Answer answer) {
        List<TopicPartition> partitions = consumer.partitionsFor(topic, patience).stream()
                .map(each -> new TopicPartition(topic, each.partition()))
                .toList();
        Map<TopicPartition, Long> begins = consumer.beginningOffsets(partitions, patience);
        Map<TopicPartition, Long> ends = consumer.endOffsets(partitions, patience);
        consumer.assign(partitions);
        ends.forEach((each, end) -> consumer.seek(each, Math.max(begins.getOrDefault(each, 0L), end - limit)));
        List<ConsumerRecord<byte[], byte[]>> newest = new ArrayList<>();
        boolean whole = read(consumer, ends, newest, limit);
        ObjectNode fields = answer.fields();
        fields.put("topic", topic).put("partitions", partitions.size());
        long offsets = partitions.stream()
                .mapToLong(each -> ends.getOrDefault(each, 0L) - begins.getOrDefault(each, 0L))
                .sum();
        // An upper bound: compaction and transactions leave gaps between offsets.
        fields.put("records_at_most", offsets);
        if (!whole) {
            answer.because("not all of the newest records came within " + patience.toMillis() + " ms");
        }
        Answer.list(
                fields,
                "records",
                newest.stream()
                        .sorted(Comparator.<ConsumerRecord<byte[], byte[]>>comparingLong(ConsumerRecord::timestamp)
                                .reversed())
                        .limit(limit)
                        .map(each -> deadLetter(each, answer))
                        .toList(),
                limit);
    }

    /** Reads up to {@code ends} and keeps each partition's newest records. Returns whether all arrived in time. */
    private boolean read(
            KafkaConsumer<byte[], byte[]> consumer,
            Map<TopicPartition, Long> ends,
            List<ConsumerRecord<byte[], byte[]>> newest,
            int limit) {
        long deadlineNanos = System.nanoTime() + patience.toNanos();
        while (!isRead(consumer, ends)) {
            if (System.nanoTime() >= deadlineNanos) {
                return false;
            }
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                newest.add(record);
            }
            if (newest.size() > 2 * limit) {
                newest.sort(Comparator.<ConsumerRecord<byte[], byte[]>>comparingLong(ConsumerRecord::timestamp)
                        .reversed());
                newest.subList(limit, newest.size()).clear();
            }
        }
        return true;
    }

    private boolean isRead(KafkaConsumer<byte[], byte[]> consumer, Map<TopicPartition, Long> ends) {
        return ends.entrySet().stream().allMatch(each -> consumer.position(each.getKey(), patience) >= each.getValue());
    }

    private ObjectNode deadLetter(ConsumerRecord<byte[], byte[]> record, Answer answer) {
        ObjectNode fields = Answer.JSON.createObjectNode();
        fields.put("partition", record.partition()).put("offset", record.offset());
        if (record.timestamp() >= 0) {
            fields.put("written", Instant.ofEpochMilli(record.timestamp()).toString());
        } else {
            answer.unknown(fields, "written", "a record has no timestamp");
        }
        try {
            origin(DeadLetterRecord.read(record), fields, answer);
        } catch (IllegalArgumentException e) {
            answer.unknown(fields, "origin", String.valueOf(e.getMessage()));
        }
        fields.put("key_bytes", record.serializedKeySize());
        fields.put("value_bytes", record.serializedValueSize());
        if (payloads) {
            fields.put("key", shown(record.key()));
            fields.put("value", shown(record.value()));
        }
        return fields;
    }

    private static void origin(DeadLetterRecord deadLetter, ObjectNode fields, Answer answer) {
        fields.put("format", deadLetter.format().name());
        ObjectNode origin = fields.putObject("origin").put("topic", deadLetter.topic());
        if (deadLetter.partition() == DeadLetterRecord.UNKNOWN || deadLetter.offset() == DeadLetterRecord.UNKNOWN) {
            answer.because("some records do not say which partition and offset they come from");
        }
        put(origin, "partition", deadLetter.partition());
        put(origin, "offset", deadLetter.offset());
        for (Field each : TEXTS) {
            String text = deadLetter.text(each);
            if (text != null) {
                fields.put(
                        each.name().toLowerCase(Locale.ROOT),
                        text.length() > SHOWN_TEXT ? text.substring(0, SHOWN_TEXT) + "…" : text);
            }
        }
        if (!fields.has("reason") && !fields.has("cause")) {
            answer.unknown(fields, "reason", "some records do not say why they failed");
        }
    }

    private static void put(ObjectNode origin, String name, long number) {
        if (number == DeadLetterRecord.UNKNOWN) {
            origin.put(name, Answer.UNKNOWN);
        } else {
            origin.put(name, number);
        }
    }

    /** The first bytes as text, or in base64 if they are not valid UTF-8. */
    private static @Nullable String shown(byte @Nullable [] bytes) {
        if (bytes == null) {
            return null;
        }
        int shown = Math.min(bytes.length, SHOWN_BYTES);
        CharBuffer text = CharBuffer.allocate(shown);
        var decoder = StandardCharsets.UTF_8
                .newDecoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT);
        // The last character of truncated bytes may be incomplete.
        boolean isText = !decoder.decode(ByteBuffer.wrap(bytes, 0, shown), text, shown == bytes.length)
                .isError();
        String first = isText
                ? text.flip().toString()
                : "base64:" + Base64.getEncoder().encodeToString(Arrays.copyOf(bytes, shown));
        return shown < bytes.length ? first + "…" : first;
    }
}
