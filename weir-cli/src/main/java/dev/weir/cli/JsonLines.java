package dev.weir.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/**
 * Results for programs: one JSON object per line, in UTF-8 whatever the locale, the last line being the summary.
 * Confined to one thread. Each line is handed on whole and flushed.
 */
final class JsonLines {

    /** Writes the fields of one object; the braces are written around it. */
    @FunctionalInterface
    interface Fields {
        void writeTo(JsonGenerator json) throws IOException;
    }

    private static final JsonFactory FACTORY = new JsonFactory();

    private final OutputStream out;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();

    JsonLines(OutputStream out) {
        this.out = out;
    }

    /** Writes one line. */
    void write(Fields fields) {
        line.reset();
        try {
            try (JsonGenerator json = FACTORY.createGenerator(line)) {
                json.writeStartObject();
                fields.writeTo(json);
                json.writeEndObject();
            }
            line.write('\n');
            line.writeTo(out);
            out.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public String toString() {
        return "JsonLines[last=" + line.toString(StandardCharsets.UTF_8).strip() + "]";
    }
}
