package dev.weir.checks.integration;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** What Linux says a process uses, look by look. Confined to the test's thread. */
final class ProcessUsage {

    enum Kind {
        /** In memory, with what is not heap. */
        MEGABYTES,
        THREADS,
        /** Open files and sockets. */
        HANDLES
    }

    private final Path process;
    private final Map<Kind, List<Long>> looks = new EnumMap<>(Kind.class);

    ProcessUsage(long pid) {
        process = Path.of("/proc", Long.toString(pid));
    }

    private List<Long> of(Kind kind) {
        return looks.computeIfAbsent(kind, none -> new ArrayList<>());
    }

    void look() {
        try (Stream<Path> handles = Files.list(process.resolve("fd"))) {
            of(Kind.HANDLES).add(handles.count());
            for (String line : Files.readAllLines(process.resolve("status"))) {
                if (line.startsWith("VmRSS:")) {
                    of(Kind.MEGABYTES).add(number(line) / 1024);
                } else if (line.startsWith("Threads:")) {
                    of(Kind.THREADS).add(number(line));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long number(String line) {
        return Long.parseLong(line.replaceAll("\\D", ""));
    }

    /** The highest of a quarter of the time: 0 is the first one. */
    long highest(Kind kind, int quarter) {
        List<Long> all = of(kind);
        return all.subList(all.size() * quarter / 4, all.size() * (quarter + 1) / 4).stream()
                .mapToLong(each -> each)
                .max()
                .orElseThrow();
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("highest of each quarter:");
        for (Kind kind : Kind.values()) {
            text.append(' ').append(kind);
            for (int quarter = 0; quarter < 4; quarter++) {
                text.append(' ').append(highest(kind, quarter));
            }
        }
        return text.toString();
    }
}
