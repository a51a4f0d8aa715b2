package dev.weir.cli.console;

import dev.weir.cli.terminal.CliFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads {@code --token-file}. Functions only. */
final class TokenFile {

    private static final long MAX_BYTES = 4_096;

    private TokenFile() {}

    /** The token without the blanks and line ends around it. */
    static String read(Path file) {
        try {
            if (Files.size(file) > MAX_BYTES) {
                throw CliFailure.badValue("--token-file", file, "a file of at most " + MAX_BYTES + " bytes");
            }
            String token = Files.readString(file).strip();
            if (token.isEmpty() || token.chars().anyMatch(c -> c <= ' ' || c > '~')) {
                // Not the text itself: it may be the token.
                throw CliFailure.badValue(
                        "--token-file", file, "a file with one token: ASCII without blanks, on one line");
            }
            return token;
        } catch (IOException e) {
            throw CliFailure.badValue("--token-file", file, "a file that can be read (" + CliFailure.reason(e) + ")");
        }
    }
}
