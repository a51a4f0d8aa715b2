package dev.weir.command.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.ErrorManager;
import java.util.logging.Formatter;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RotatingHandlerTest {

    private static final int LINE = 100;

    @TempDir
    private Path folder;

    private final Errors errors = new Errors();

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

    @Test
    void rename_thatFails_losesNoLine() throws IOException {
        Path file = folder.resolve("weir.log");
        for (int i = 1; i <= RotatingHandler.MOST_OLD; i++) {
            Files.createDirectories(folder.resolve("weir.log." + i).resolve("in-the-way"));
        }
        RotatingHandler handler = new RotatingHandler(file, new Plain(), 10 * LINE);
        handler.setErrorManager(errors);
        publish(handler, 0, 95);
        handler.close();
        assertThat(Files.readAllLines(file)).hasSize(95).last().isEqualTo(line(94));
        assertThat(errors.codes).hasSize(9).containsOnly(ErrorManager.GENERIC_FAILURE);
    }

    /** A new file cannot be opened in a folder that has moved. */
    @Test
    void folder_thatIsMoved_keepsGettingTheLines() throws IOException {
        Path logs = Files.createDirectory(folder.resolve("logs"));
        RotatingHandler handler = new RotatingHandler(logs.resolve("weir.log"), new Plain(), 10 * LINE);
        handler.setErrorManager(errors);
        publish(handler, 0, 10);
        Path moved = Files.move(logs, folder.resolve("moved"));
        publish(handler, 10, 35);
        assertThat(Files.readAllLines(moved.resolve("weir.log"))).isEqualTo(lines(0, 35));
        assertThat(errors.codes).hasSize(3).containsOnly(ErrorManager.GENERIC_FAILURE);

        Files.createDirectory(logs);
        publish(handler, 35, 41);
        handler.close();
        assertThat(Files.readAllLines(moved.resolve("weir.log"))).isEqualTo(lines(0, 40));
        assertThat(Files.readAllLines(logs.resolve("weir.log"))).isEqualTo(lines(40, 41));
    }

    /** At its limit of open files, a process can rename files but not open any. */
    @Test
    void file_thatCannotBeOpenedAgainAndAgain_costsNoOldFile() throws IOException {
        Path file = folder.resolve("weir.log");
        for (int i = 1; i < RotatingHandler.MOST_OLD; i++) {
            Files.writeString(folder.resolve("weir.log." + i), "old " + i);
        }
        AtomicBoolean refuses = new AtomicBoolean();
        RotatingHandler handler = new RotatingHandler(file, new Plain(), 10 * LINE, path -> {
            if (refuses.get()) {
                throw new FileSystemException(path.toString(), null, "Too many open files");
            }
            return Files.newOutputStream(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        });
        handler.setErrorManager(errors);
        refuses.set(true);
        publish(handler, 0, 95);
        refuses.set(false);
        publish(handler, 95, 101);
        handler.close();
        assertThat(errors.codes).hasSize(9).containsOnly(ErrorManager.GENERIC_FAILURE);
        assertThat(Files.readAllLines(file)).isEqualTo(lines(100, 101));
        assertThat(Files.readAllLines(folder.resolve("weir.log.1"))).isEqualTo(lines(0, 100));
        for (int i = 2; i <= RotatingHandler.MOST_OLD; i++) {
            assertThat(folder.resolve("weir.log." + i)).hasContent("old " + (i - 1));
        }
    }

    /** Collects errors instead of printing them. */
    private static final class Errors extends ErrorManager {
        private final List<Integer> codes = new ArrayList<>();

        @Override
        public void error(String message, Exception fault, int code) {
            codes.add(code);
        }
    }

    private static void publish(RotatingHandler handler, int from, int to) {
        for (int i = from; i < to; i++) {
            handler.publish(new LogRecord(Level.INFO, line(i)));
        }
    }

    private static List<String> lines(int from, int to) {
        return IntStream.range(from, to).mapToObj(RotatingHandlerTest::line).toList();
    }
}
