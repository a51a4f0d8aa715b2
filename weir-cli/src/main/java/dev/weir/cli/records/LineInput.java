package dev.weir.cli.records;

import dev.weir.command.terminal.CliFailure;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Makes one record per line, without the line feed and a preceding carriage return. Confined to the sending thread. */
final class LineInput implements RecordInput {

    private final InputStream in;
    private final String name;
    private final byte @Nullable [] separator;
    private final int maxLineBytes;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();

    private long lines;

    /**
     * Creates an input over {@code in}, which the caller owns.
     *
     * @param name of the input, for messages
     * @param separator between key and value, or null for records without a key
     * @param maxLineBytes longest accepted line, which bounds the memory that this input uses
     */
    LineInput(InputStream in, String name, byte @Nullable [] separator, int maxLineBytes) {
        this.in = new BufferedInputStream(in, 64 * 1024);
        this.name = name;
        this.separator = separator;
        this.maxLineBytes = maxLineBytes;
    }

    @Override
    public @Nullable KeyValue next() throws IOException {
        byte[] bytes = readLine();
        if (bytes == null) {
            return null;
        }
        if (separator == null) {
            return new KeyValue(null, bytes);
        }
        int at = indexOf(bytes, separator);
        if (at < 0) {
            throw CliFailure.work(
                    place(lines) + " has no key: the text of --key-separator is not in it",
                    "Correct the line, or leave --key-separator out. The lines before it were written.");
        }
        return new KeyValue(Arrays.copyOf(bytes, at), Arrays.copyOfRange(bytes, at + separator.length, bytes.length));
    }

    private byte @Nullable [] readLine() throws IOException {
        line.reset();
        int next = in.read();
        if (next < 0) {
            return null;
        }
        lines++;
        while (next >= 0 && next != '\n') {
            if (line.size() == maxLineBytes) {
                throw CliFailure.work(
                        place(lines) + " is longer than max.request.size=" + maxLineBytes + " bytes",
                        "Raise max.request.size in --client-config. The lines before it were written.");
            }
            line.write(next);
            next = in.read();
        }
        byte[] bytes = line.toByteArray();
        boolean endsWithReturn = bytes.length > 0 && bytes[bytes.length - 1] == '\r';
        return endsWithReturn ? Arrays.copyOf(bytes, bytes.length - 1) : bytes;
    }

    private static int indexOf(byte[] bytes, byte[] part) {
        for (int i = 0; i <= bytes.length - part.length; i++) {
            if (Arrays.equals(bytes, i, i + part.length, part, 0, part.length)) {
                return i;
            }
        }
        return -1;
    }

    @Override
    public String place(long number) {
        return "line " + number + " of " + name;
    }
}
