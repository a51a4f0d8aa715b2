package dev.weir.command.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.ErrorManager;
import java.util.logging.Formatter;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RotatingHandlerTest {

    private static final int LINE = 100;

    @TempDir
    private Path folder;

    private static final class Plain extends Formatter {
        @Override
        public String format(LogRecord line) {
            return line.getMessage() + "\n";
        }
    }

    private static String line(int number) {
        return String.format("%0" + (LINE - 1) + "d", number);
    }

    @Test
    void lines_beyondALimit_goToTheNextFile_andTheOldestGo() throws IOException {
        Path file = folder.resolve("weir.log");
        Files.writeString(file, line(0) + "\n"); // of an earlier run
        RotatingHandler handler = new RotatingHandler(file, new Plain(), 10 * LINE);
        for (int i = 1; i < 200; i++) {
            handler.publish(new LogRecord(Level.INFO, line(i)));
        }
        handler.close();
        List<String> kept = new ArrayList<>();
        for (int i = RotatingHandler.MOST_OLD; i >= 0; i--) {
            Path each = i == 0 ? file : folder.resolve("weir.log." + i);
            assertThat(Files.size(each)).isLessThanOrEqualTo(10 * LINE);
            kept.addAll(Files.readAllLines(each));
        }
        assertThat(kept).hasSize(50).first().isEqualTo(line(150));
        assertThat(kept).last().isEqualTo(line(199));
        assertThat(kept).isSorted().doesNotHaveDuplicates();
        try (var files = Files.list(folder)) {
            assertThat(files).hasSize(RotatingHandler.MOST_OLD + 1);
        }
    }

    @Test
    void line_largerThanAFile_isWrittenWhole() throws IOException {
        Path file = folder.resolve("weir.log");
        RotatingHandler handler = new RotatingHandler(file, new Plain(), 10);
        handler.publish(new LogRecord(Level.INFO, line(1)));
        handler.publish(new LogRecord(Level.INFO, line(2)));
        handler.close();
        assertThat(Files.readString(file)).isEqualTo(line(2) + "\n");
        assertThat(Files.readString(folder.resolve("weir.log.1"))).isEqualTo(line(1) + "\n");
    }

    /** If files cannot be renamed, lines still arrive. */
    @Test
    void rename_thatFails_losesNoLine() throws IOException {
        Path file = folder.resolve("weir.log");
        for (int i = 1; i <= RotatingHandler.MOST_OLD; i++) {
            Files.createDirectories(folder.resolve("weir.log." + i).resolve("in-the-way"));
        }
        RotatingHandler handler = new RotatingHandler(file, new Plain(), 10 * LINE);
        handler.setErrorManager(new ErrorManager() {
            @Override
            public void error(String message, Exception fault, int code) {
                // Told on standard error by default.
            }
        });
        for (int i = 0; i < 95; i++) {
            handler.publish(new LogRecord(Level.INFO, line(i)));
        }
        handler.close();
        assertThat(Files.readAllLines(file)).hasSize(95).last().isEqualTo(line(94));
    }
}
