package dev.weir.bench.fill;

import dev.weir.bench.BenchException;
import dev.weir.driver.RecordLayout;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/**
 * Values provided by a user, either the lines of a file or the files of a folder. Each value begins with reserved space
 * for the numbers that identify its record. Immutable.
 */
public final class ValueFile {
    // The default maximum size of a record, minus a reserve for record numbers and headers.
    private static final int MAX_BYTES = 1_000_000;
    private static final long MAX_TOTAL_BYTES = 512L << 20;

    private final List<byte[]> values;
    private final String digest;

    private ValueFile(List<byte[]> values, String digest) {
        this.values = values;
        this.digest = digest;
    }

    /** Reads all values of a file or folder. */
    public static ValueFile read(Path path) {
        try {
            List<byte[]> values = new ArrayList<>();
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            if (Files.isDirectory(path)) {
                for (Path file : files(path)) {
                    add(values, digest, Files.readAllBytes(file));
                }
            } else {
                requireSize(path, Files.size(path), MAX_TOTAL_BYTES, "a file of values");
                lines(path, values, digest);
            }
            if (values.isEmpty()) {
                throw new BenchException(
                        "topic.valueFile " + path + " holds no value: no line, or no file in the folder");
            }
            return new ValueFile(List.copyOf(values), HexFormat.of().formatHex(digest.digest(), 0, 6));
        } catch (IOException | NoSuchAlgorithmException e) {
            throw new BenchException("topic.valueFile " + path + " cannot be read: " + e, e);
        }
    }

    private static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            List<Path> files = all.filter(Files::isRegularFile).sorted().toList();
            long bytes = 0;
            for (Path file : files) {
                requireSize(file, Files.size(file), MAX_BYTES, "a value");
                bytes += Files.size(file);
            }
            requireSize(folder, bytes, MAX_TOTAL_BYTES, "a folder of values");
            return files;
        }
    }

    /** Reads the lines as bytes, regardless of their encoding. The last line does not need a line terminator. */
    private static void lines(Path path, List<byte[]> values, MessageDigest digest) throws IOException {
        byte[] all = Files.readAllBytes(path);
        int start = 0;
        for (int i = 0; i <= all.length; i++) {
            if (i == all.length ? start < i : all[i] == '\n') {
                requireSize(path, i - start, MAX_BYTES, "line " + (values.size() + 1));
                add(values, digest, Arrays.copyOfRange(all, start, i));
                start = i + 1;
            }
        }
    }

    private static void add(List<byte[]> values, MessageDigest digest, byte[] content) {
        // Hash the length too, to separate the values.
        digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(content.length).flip());
        digest.update(content);
        byte[] value = new byte[RecordLayout.MIN_VALUE_BYTES + content.length];
        System.arraycopy(content, 0, value, RecordLayout.MIN_VALUE_BYTES, content.length);
        values.add(value);
    }

    private static void requireSize(Path path, long bytes, long most, String what) {
        if (bytes > most) {
            throw new BenchException(
                    "topic.valueFile " + path + ": " + what + " must be at most " + most + " bytes: it has " + bytes);
        }
    }

    /** Returns a digest that identifies the content. */
    public String digest() {
        return digest;
    }

    /** Returns a copy of the value for this record number, which may be negative, cycling through all values. */
    public byte[] next(long number) {
        return values.get(Math.floorMod(number, values.size())).clone();
    }
}
