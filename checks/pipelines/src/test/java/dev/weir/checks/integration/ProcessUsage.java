package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Samples the resources of a process, as Linux reports them. Confined to the test's thread. */
final class ProcessUsage {

    enum Kind {
        /** Memory of the whole process, including memory outside the heap. */
        MEGABYTES,
        THREADS,
        /** Open files and sockets. */
        HANDLES
    }

    /** Matches the lines of the young and the old generation. */
    private static final Pattern USED = Pattern.compile("total \\d+K, used (\\d+)K");

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

    int looks() {
        return of(Kind.HANDLES).size();
    }

    /** Returns the lowest value in one quarter (0 to 3) of the samples. */
    long lowest(Kind kind, int quarter) {
        List<Long> all = of(kind);
        return all.subList(all.size() * quarter / 4, all.size() * (quarter + 1) / 4).stream()
                .mapToLong(each -> each)
                .min()
                .orElseThrow();
    }

    /**
     * Requests a full garbage collection, and returns the size of the heap after it. Supports only the serial
     * collector.
     */
    long liveHeapMegabytes() {
        jcmd("GC.run");
        String heap = jcmd("GC.heap_info");
        List<Long> used = USED.matcher(heap)
                .results()
                .map(match -> Long.parseLong(match.group(1)))
                .toList();
        assertThat(used).as(heap).hasSize(2);
        return (used.getFirst() + used.getLast()) / 1024;
    }

    private String jcmd(String order) {
        try {
            Process jcmd = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "jcmd")
                                    .toString(),
                            process.getFileName().toString(),
                            order)
                    .redirectErrorStream(true)
                    .start();
            String said = new String(jcmd.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(jcmd.waitFor()).as(said).isZero();
            return said;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("lowest of each quarter:");
        for (Kind kind : Kind.values()) {
            text.append(' ').append(kind);
            for (int quarter = 0; quarter < 4; quarter++) {
                text.append(' ').append(lowest(kind, quarter));
            }
        }
        return text.toString();
    }
}
