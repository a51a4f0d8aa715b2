package dev.weir.cli.mcp;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** Reads messages, one per line, in bounded memory. Confined to one thread. */
final class MessageReader {

    /** Maximum size of a message. */
    static final int MAX_BYTES = 256 * 1024;

    private static final int BUFFER_BYTES = 8 * 1024;

    /** A line of input. */
    sealed interface Line {

        /** A line that fits. */
        final class Message implements Line {

            private final byte[] json;

            private Message(byte[] json) {
                this.json = json;
            }

            /** The bytes of the line, owned by the caller. */
            byte[] json() {
                return json;
            }
        }

        /** A line that exceeds the limit. The reader has skipped it. */
        record TooLong() implements Line {}
    }

    private final InputStream in;
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private int at;
    private int end;

    MessageReader(InputStream in) {
        this.in = in;
    }

    /** Returns the next non-blank line; null at the end of the input. */
    @Nullable
    Line next() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        boolean tooLong = false;
        for (; ; ) {
            int next = read();
            if (next < 0 && line.size() == 0 && !tooLong) {
                return null;
            }
            if (next >= 0 && next != '\n') {
                tooLong |= line.size() == MAX_BYTES;
                if (!tooLong) {
                    line.write(next);
                }
            } else if (tooLong) {
                return new Line.TooLong();
            } else if (!isBlank(line)) {
                return new Line.Message(line.toByteArray());
            } else {
                line.reset();
            }
        }
    }

    private int read() throws IOException {
        if (at == end) {
            end = Math.max(0, in.read(buffer));
            at = 0;
            if (end == 0) {
                return -1;
            }
        }
        return buffer[at++] & 0xFF;
    }

    private static boolean isBlank(ByteArrayOutputStream line) {
        for (byte each : line.toByteArray()) {
            if (each != ' ' && each != '\t' && each != '\r') {
                return false;
            }
        }
        return true;
    }
}
