package dev.weir.command.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class JsonLinesTest {

    @Test
    void write_endsEachObjectWithOneLineFeed() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        JsonLines json = new JsonLines(new PrintStream(out, false, StandardCharsets.US_ASCII));
        json.write(line -> line.writeStringField("topic", "größe\n"));
        json.write(line -> {
            line.writeNumberField("records_in", 3);
            line.writeObjectFieldStart("latency_ms");
            line.writeNumberField("p50", 1.5);
            line.writeEndObject();
        });
        assertThat(out.toString(StandardCharsets.UTF_8))
                .isEqualTo("{\"topic\":\"größe\\n\"}\n{\"records_in\":3,\"latency_ms\":{\"p50\":1.5}}\n");
    }

    @Test
    void write_whenAFieldFails_printsNothing() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        JsonLines json = new JsonLines(new PrintStream(out, false, StandardCharsets.US_ASCII));
        assertThatThrownBy(() -> json.write(line -> {
                    line.writeNumberField("records_in", 3);
                    throw new IllegalStateException("no figure");
                }))
                .isInstanceOf(IllegalStateException.class);
        assertThat(out.size()).isZero();
    }

    @Test
    void write_toAClosedReader_fails() {
        OutputStream broken = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("Broken pipe");
            }
        };
        JsonLines json = new JsonLines(new PrintStream(broken, false, StandardCharsets.UTF_8));
        assertThatThrownBy(() -> json.write(line -> {})).isInstanceOf(CliFailure.class);
    }
}
