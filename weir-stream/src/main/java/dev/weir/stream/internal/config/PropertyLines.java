package dev.weir.stream.internal.config;

import dev.weir.stream.spi.Thrown;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/**
 * Reads the entries of a properties file with their line numbers. {@link Properties} parses each logical line.
 * Stateless.
 */
final class PropertyLines {

    private PropertyLines() {}

    /** An entry. Line numbers start at 1. */
    record Line(int number, String key, String value) {}

    static List<Line> of(String fileName, String text) {
        List<Line> lines = new ArrayList<>();
        // Windows editors add a byte order mark, which is not part of the first key.
        String[] natural = text.replaceFirst("^\uFEFF", "").split("\r\n|\r|\n", -1);
        for (int i = 0; i < natural.length; i++) {
            int first = i;
            StringBuilder logical = new StringBuilder(natural[i]);
            if (!isCommentOrBlank(natural[i])) {
                while (goesOn(natural[i]) && i + 1 < natural.length) {
                    logical.append('\n').append(natural[++i]);
                }
            }
            parse(fileName, first + 1, logical.toString(), lines);
        }
        return lines;
    }

    private static boolean isCommentOrBlank(String line) {
        String content = line.strip();
        return content.isEmpty() || content.startsWith("#") || content.startsWith("!");
    }

    /** Returns whether the line ends in an odd number of backslashes. */
    private static boolean goesOn(String line) {
        int backslashes = 0;
        while (backslashes < line.length() && line.charAt(line.length() - 1 - backslashes) == '\\') {
            backslashes++;
        }
        return backslashes % 2 == 1;
    }

    private static void parse(String fileName, int number, String logical, List<Line> lines) {
        Properties one = new Properties();
        try {
            one.load(new StringReader(logical));
        } catch (IllegalArgumentException malformed) {
            throw new IllegalArgumentException(fileName + ":" + number + ": " + Thrown.reason(malformed), malformed);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        for (String key : one.stringPropertyNames()) {
            lines.add(new Line(number, key, one.getProperty(key).strip()));
        }
    }
}
