package dev.weir.cli.records;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.command.terminal.JsonLines;
import dev.weir.command.terminal.Printable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/** Formats a record as a line of {@code weir consume}. Stateless. Constants have their command-line names. */
enum RecordFormat {

    /** Columns separated by tabs: partition and offset, time, key, value, and headers, if any. */
    text {
        @Override
        byte[] line(ConsumerRecord<byte[], byte[]> record) {
            List<String> columns = new ArrayList<>();
            columns.add(record.partition() + ":" + record.offset());
            columns.add(
                    record.timestamp() < 0
                            ? "-"
                            : Instant.ofEpochMilli(record.timestamp()).toString());
            columns.add(printable(record.key()));
            columns.add(printable(record.value()));
            List<String> headers = new ArrayList<>();
            for (Header header : record.headers()) {
                headers.add(Printable.line(header.key()) + "=" + printable(header.value()));
            }
            if (!headers.isEmpty()) {
                columns.add(String.join(",", headers));
            }
            return (String.join("\t", columns) + "\n").getBytes(StandardCharsets.UTF_8);
        }
    },

    /** One JSON object. Non-ASCII characters are escaped: no text can control a terminal. */
    json {
        @Override
        byte[] line(ConsumerRecord<byte[], byte[]> record) {
            return JsonLines.object(
                    json -> {
                        json.setHighestNonEscapedChar(MAX_ASCII);
                        json.writeStringField("topic", record.topic());
                        json.writeNumberField("partition", record.partition());
                        json.writeNumberField("offset", record.offset());
                        json.writeNumberField("timestamp", record.timestamp());
                        writeBytes(json, "key", record.key());
                        writeBytes(json, "value", record.value());
                        json.writeArrayFieldStart("headers");
                        for (Header header : record.headers()) {
                            json.writeStartArray();
                            json.writeString(header.key());
                            json.writeString(decoded(header.value()));
                            if (header.value() != null && !isUtf8(header.value())) {
                                json.writeBinary(header.value());
                            }
                            json.writeEndArray();
                        }
                        json.writeEndArray();
                    },
                    false);
        }
    };

    private static final int MAX_ASCII = 127;

    /** Returns one line with its line feed, in UTF-8. */
    abstract byte[] line(ConsumerRecord<byte[], byte[]> record);

    /** Writes bytes as text; also in base64 if they are not valid UTF-8. */
    private static void writeBytes(JsonGenerator json, String name, byte @Nullable [] bytes) throws IOException {
        json.writeStringField(name, decoded(bytes));
        if (bytes != null && !isUtf8(bytes)) {
            json.writeBinaryField(name + "_base64", bytes);
        }
    }

    private static @Nullable String decoded(byte @Nullable [] bytes) {
        return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
    }

    private static boolean isUtf8(byte[] bytes) {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
            return true;
        } catch (CharacterCodingException e) {
            return false;
        }
    }

    private static String printable(byte @Nullable [] bytes) {
        return bytes == null ? "null" : Printable.line(new String(bytes, StandardCharsets.UTF_8));
    }
}
