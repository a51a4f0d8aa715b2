package dev.weir.command.terminal;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/**
 * Results for programs: one JSON object per line, in UTF-8, with the summary in the last line. Confined to one thread.
 * Flushes each line.
 */
public final class JsonLines {

    /** Writes the fields of one object. The caller writes the braces around them. */
    @FunctionalInterface
    public interface Fields {
        void writeTo(JsonGenerator json) throws IOException;
    }

    private static final JsonFactory FACTORY = new JsonFactory();

    private final PrintStream out;

    public JsonLines(PrintStream out) {
        this.out = out;
    }

    /** Writes one line. */
    public void write(Fields fields) {
        out.writeBytes(object(fields, false));
        if (out.checkError()) {
            throw CliFailure.work("standard output was closed", "Its reader must read to the end.");
        }
    }

    /** Returns one object and a line feed in UTF-8; on several lines if {@code forPeople} is true. */
    public static byte[] object(Fields fields, boolean forPeople) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = FACTORY.createGenerator(text)) {
            if (forPeople) {
                json.useDefaultPrettyPrinter();
            }
            json.writeStartObject();
            fields.writeTo(json);
            json.writeEndObject();
        } catch (IOException e) { // written to memory, so no I/O can fail
            throw new UncheckedIOException(e);
        }
        text.write('\n');
        // Escape characters that JSON allows in a string but a terminal may obey.
        return Printable.lines(text.toString()).getBytes(StandardCharsets.UTF_8);
    }
}
