package dev.weir.checks.jmh;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * The processor time of all threads of this process, including the JVM's own, from Linux's {@code /proc}. Keys are a
 * thread's number and name; times are in nanoseconds.
 */
record ThreadTimes(Map<String, Long> nanos) {

    static ThreadTimes now() {
        Map<String, Long> threads = new HashMap<>();
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
            for (Path task : tasks) {
                try {
                    String name = Files.readString(task.resolve("comm")).strip();
                    String figures = Files.readString(task.resolve("schedstat"));
                    threads.put(
                            task.getFileName() + " " + name,
                            Long.parseLong(figures.substring(0, figures.indexOf(' '))));
                } catch (NoSuchFileException ended) {
                    // The thread has ended.
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new ThreadTimes(threads);
    }

    /**
     * Returns the nanoseconds used since {@code before} by each kind of thread. Names of one kind differ only in
     * trailing digits.
     */
    Map<String, Long> since(ThreadTimes before) {
        Map<String, Long> kinds = new TreeMap<>();
        nanos.forEach((thread, now) -> {
            String kind = thread.substring(thread.indexOf(' ') + 1).replaceAll("[-#]?[0-9]+$", "");
            kinds.merge(kind, now - before.nanos.getOrDefault(thread, 0L), Long::sum);
        });
        return kinds;
    }
}
