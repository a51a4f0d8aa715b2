package dev.weir.testkit.internal;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Extracts from a broker's log why its process terminated. Stateless. */
final class LoggedFailure {
    private static final Pattern FAILURE = Pattern.compile(
            "^\\s*(?:Caused by: |Exception in thread \"[^\"]*\" )?(?:[a-z][\\w$]*\\.)+([A-Z][\\w$.]*: .+)$",
            Pattern.MULTILINE);

    private LoggedFailure() {}

    static long sizeOf(Path log) throws IOException {
        return Files.exists(log) ? Files.size(log) : 0;
    }

    /**
     * Returns the last exception with a message that was logged after the first {@code size} bytes. Otherwise returns
     * the last line, or an empty string if nothing was logged.
     */
    static String past(Path log, long size) throws IOException {
        String text;
        try (InputStream in = Files.newInputStream(log)) {
            in.skipNBytes(size);
            text = new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
        }
        String failure = text.substring(text.lastIndexOf('\n') + 1).strip();
        Matcher found = FAILURE.matcher(text);
        while (found.find()) {
            failure = found.group(1);
        }
        return failure;
    }
}
