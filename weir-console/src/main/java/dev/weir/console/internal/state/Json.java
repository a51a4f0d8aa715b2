package dev.weir.console.internal.state;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import dev.weir.console.ControlReport;
import dev.weir.console.TimelineEntry;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Writes the console's JSON responses, and reads its only JSON request. Stateless. */
public final class Json {

    private static final int MOST_SETTINGS = 256;

    /** Numbers that JavaScript reads exactly. */
    private static final Pattern NUMBER = Pattern.compile("0|[1-9][0-9]{0,14}");

    private static final JsonFactory FACTORY = new JsonFactoryBuilder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(4)
                    .maxStringLength(1_000)
                    .maxNameLength(500)
                    .build())
            .build();

    /** Writes the fields of a JSON object. */
    @FunctionalInterface
    public interface Fields {
        void writeTo(JsonGenerator json) throws IOException;
    }

    private Json() {}

    /** Returns a JSON object on one line. */
    public static String object(Fields fields) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = FACTORY.createGenerator(text)) {
            json.writeStartObject();
            fields.writeTo(json);
            json.writeEndObject();
        } catch (IOException e) { // written to memory, so no I/O can fail
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }

    /** Returns the text with a line end, in UTF-8. */
    public static byte[] line(String text) {
        return (text + "\n").getBytes(StandardCharsets.UTF_8);
    }

    /** Returns a JSON object with an error message. */
    public static String error(String message) {
        return object(json -> json.writeStringField("error", message));
    }

    /** Writes a JSON object on one line, in parts and not as one text. Does not close {@code out}. */
    public static void write(OutputStream out, Fields fields) throws IOException {
        try (JsonGenerator json = FACTORY.createGenerator(out).disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET)) {
            json.writeStartObject();
            fields.writeTo(json);
            json.writeEndObject();
            json.writeRaw('\n');
        }
    }

    /** Writes the fields of the response to a change. */
    public static void writeReport(JsonGenerator json, ControlReport report) throws IOException {
        json.writeBooleanField("accepted", report.accepted());
        json.writeObjectFieldStart("applied");
        for (Map.Entry<String, String> each : report.applied().entrySet()) {
            json.writeFieldName(each.getKey());
            writeValue(json, each.getValue());
        }
        json.writeEndObject();
        json.writeArrayFieldStart("refused");
        for (ControlReport.Refusal each : report.refused()) {
            json.writeStartObject();
            json.writeStringField("key", each.key());
            json.writeFieldName("value");
            writeValue(json, each.value());
            json.writeStringField("reason", each.reason());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    /** Writes a boolean or a number as such, anything else as a string. */
    static void writeValue(JsonGenerator json, String value) throws IOException {
        if (value.equals("true") || value.equals("false")) {
            json.writeBoolean(value.equals("true"));
        } else if (NUMBER.matcher(value).matches()) {
            json.writeNumber(Long.parseLong(value));
        } else {
            json.writeString(value);
        }
    }

    /** Writes the fields of the response that lists all requested changes. */
    public static void writeTimeline(JsonGenerator json, List<TimelineEntry> entries) throws IOException {
        json.writeArrayFieldStart("entries");
        for (TimelineEntry entry : entries) {
            json.writeStartObject();
            json.writeStringField("at", entry.at().toString());
            json.writeNumberField("at_ms", entry.millis());
            json.writeStringField("key", entry.key());
            json.writeFieldName("value");
            writeValue(json, entry.value());
            json.writeStringField("by", entry.by());
            json.writeBooleanField("applied", entry.refused().isEmpty());
            if (!entry.refused().isEmpty()) {
                json.writeStringField("reason", entry.refused());
            }
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    /**
     * Reads {@code {"set":{KEY:VALUE,...}}} with strings, numbers, true and false as values.
     *
     * @throws IOException for any other input, with a message for the user
     */
    public static Map<String, String> settings(byte[] text) throws IOException {
        Map<String, String> settings = new LinkedHashMap<>();
        try (JsonParser json = FACTORY.createParser(text)) {
            require(json.nextToken() == JsonToken.START_OBJECT, "it must be an object");
            require("set".equals(json.nextFieldName()), "its only field must be set");
            require(json.nextToken() == JsonToken.START_OBJECT, "set must be an object");
            String key;
            while ((key = json.nextFieldName()) != null) {
                JsonToken value = json.nextToken();
                require(
                        value != null && value.isScalarValue() && value != JsonToken.VALUE_NULL,
                        key + " needs a value");
                settings.put(key, json.getText());
                require(settings.size() <= MOST_SETTINGS, "there are more than " + MOST_SETTINGS + " settings");
            }
            require(json.currentToken() == JsonToken.END_OBJECT, "set must be an object");
            require(json.nextToken() == JsonToken.END_OBJECT, "its only field must be set");
            require(json.nextToken() == null, "nothing may follow");
        }
        require(!settings.isEmpty(), "there is nothing to set");
        return settings;
    }

    private static void require(boolean holds, String otherwise) throws IOException {
        if (!holds) {
            throw new IOException("not {\"set\":{KEY:VALUE,...}}: " + otherwise);
        }
    }
}
