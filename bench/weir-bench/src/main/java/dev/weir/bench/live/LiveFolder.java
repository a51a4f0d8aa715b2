package dev.weir.bench.live;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The files through which a run receives commands and returns answers. Immutable. Files appear and vanish atomically,
 * so any process may read them.
 *
 * <pre>
 * RESULTS/live/             exists while a run accepts or refuses commands; only its owner can enter it
 *   run.json                the run, and the process that executes it
 *   NUMBER.order            one command, in JSON; the smallest number is executed first
 *   NUMBER.answer           the outcome of that command
 *   numbers, numbers-2      the records that the members of the run have received, by group
 * </pre>
 */
record LiveFolder(Path path) {
    static final ObjectMapper JSON = new ObjectMapper();

    private static final String NAME = "live";
    private static final String RUN = "run.json";
    private static final String NUMBERS = "numbers";
    private static final String ORDER = ".order";
    private static final String ANSWER = ".answer";

    static LiveFolder of(Path results) {
        return new LiveFolder(results.resolve(NAME));
    }

    /**
     * The process that executes a run.
     *
     * @param refusal reason for refusing commands; empty if the run accepts them
     */
    record Host(long pid, long startedAtMillis, String run, String refusal) {

        /** Largest difference between two readings of a start time. Adjusting the clock changes the reading. */
        private static final long START_TOLERANCE_MILLIS = 60_000;

        static Host ofThisProcess(String run, String refusal) {
            ProcessHandle process = ProcessHandle.current();
            return new Host(process.pid(), started(process), run, refusal);
        }

        private static long started(ProcessHandle process) {
            return process.info().startInstant().map(Instant::toEpochMilli).orElse(0L);
        }

        /** Returns whether the process still runs and its ID has not been reused. */
        boolean lives() {
            return ProcessHandle.of(pid)
                    .filter(ProcessHandle::isAlive)
                    .map(process -> Math.abs(started(process) - startedAtMillis) <= START_TOLERANCE_MILLIS)
                    .orElse(false);
        }
    }

    Path run() {
        return path.resolve(RUN);
    }

    Path numbers() {
        return path.resolve(NUMBERS);
    }

    Path order(String number) {
        return path.resolve(number + ORDER);
    }

    Path answer(String number) {
        return path.resolve(number + ANSWER);
    }

    /** Returns the process that executes the run of this folder; null if there is none. */
    @Nullable
    Host host() throws IOException {
        try {
            Host host = JSON.readValue(Files.readAllBytes(run()), Host.class);
            return host.lives() ? host : null;
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    List<String> waiting() throws IOException {
        try (Stream<Path> files = Files.list(path)) {
            return files.map(file -> String.valueOf(file.getFileName()))
                    .filter(name -> name.endsWith(ORDER))
                    .map(name -> name.substring(0, name.length() - ORDER.length()))
                    .sorted()
                    .toList();
        }
    }

    /** Returns whether the folder contains an unread answer. */
    boolean isAnswered() throws IOException {
        try (Stream<Path> files = Files.list(path)) {
            return files.anyMatch(file -> file.toString().endsWith(ANSWER));
        }
    }

    /** Deletes the files with the members' received records, which take up space. */
    void deleteNumbers() throws IOException {
        try (Stream<Path> files = Files.list(path)) {
            for (Path file : files.toList()) {
                if (String.valueOf(file.getFileName()).startsWith(NUMBERS)) {
                    Files.deleteIfExists(file);
                }
            }
        }
    }

    static void write(Path file, Object content) throws IOException {
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        Files.write(fresh, JSON.writeValueAsBytes(content));
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    void delete() throws IOException {
        if (!Files.isDirectory(path)) {
            return;
        }
        try (Stream<Path> files = Files.list(path)) {
            for (Path file : files.toList()) {
                Files.deleteIfExists(file);
            }
        }
        Files.deleteIfExists(path);
    }
}
