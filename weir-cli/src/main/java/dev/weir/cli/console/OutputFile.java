package dev.weir.cli.console;

import dev.weir.command.terminal.CliFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Checks and writes the file that an option names. Stateless. */
final class OutputFile {

    private OutputFile() {}

    /** Refuses a path that cannot be a file. Call it before the command changes or records anything. */
    static void check(String option, @Nullable Path file) {
        if (file == null) {
            return;
        }
        Path folder = file.toAbsolutePath().getParent();
        if (Files.isDirectory(file) || folder == null || !Files.isDirectory(folder)) {
            throw CliFailure.badValue(option, file, "a file in a folder that exists");
        }
    }

    static void write(String option, Path file, String text) {
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw CliFailure.badValue(option, file, "a file that can be written (" + CliFailure.reason(e) + ")");
        }
    }
}
