package dev.weir.console.internal.state;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.stream.control.ThreadActivity;
import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.LockInfo;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The states of the process's threads over the last minute, one character per second. The pipeline's threads come
 * first, by dispatcher, then the threads of Kafka's clients, of Weir, of the garbage collector and compiler, and all
 * others. Guarded by the lock of {@link Looker}.
 *
 * <p>Uses the stacks that {@link ThreadActivity} has read. Keeps at most {@value #MOST_ROWS} rows of {@value #SECONDS}
 * characters.
 */
final class ThreadTable {

    /** The number of characters kept for each thread. */
    static final int SECONDS = 60;

    static final int MOST_ROWS = 160;

    private static final int MOST_OF_A_DISPATCHER = 32;
    private static final int MOST_OTHERS = 40;
    private static final int MOST_ASKED = 512;
    private static final int MOST_NAME = 100;

    /** Character for a second without the thread or without a reading. */
    private static final char NONE = '.';

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    /** Rows of the garbage collector and of the compiler. The JDK does not list their threads. */
    private static final long COLLECTOR = -1;

    private static final long COMPILER = -2;

    /** Kinds of rows, in display order. */
    private enum Kind {
        DISPATCHER,
        CLIENT,
        WEIR,
        JVM,
        OTHER
    }

    private static final class Row {

        private final String name;
        private String group;
        private Kind kind;
        private final StringBuilder letters = new StringBuilder(SECONDS);
        private long tick;
        private long cpuNanos = -1;
        private double cpuShare = Double.NaN;

        Row(String name, String group, Kind kind) {
            this.name = name.length() <= MOST_NAME ? name : name.substring(0, MOST_NAME);
            this.group = group;
            this.kind = kind;
        }

        void add(char letter) {
            if (letters.length() == SECONDS) {
                letters.deleteCharAt(0);
            }
            letters.append(letter);
        }

        boolean isGone() {
            return letters.chars().allMatch(letter -> letter == NONE);
        }
    }

    private final Map<Long, Row> rows = new LinkedHashMap<>();
    private long tick;
    private long lastNanos;
    private long collectorMillis = collectorMillis();
    private long compilerMillis = compilerMillis();

    /** Reads all threads once. Seconds without a reading count as unknown. */
    void look(List<ThreadActivity> pipelines) {
        long now = System.nanoTime();
        long skipped =
                lastNanos == 0 ? 0 : Math.clamp((now - lastNanos + 500_000_000L) / 1_000_000_000L - 1, 0, SECONDS);
        for (long i = 0; i < skipped; i++) {
            rows.values().forEach(row -> row.add(NONE));
        }
        double nanos = lastNanos == 0 ? Double.NaN : now - lastNanos;
        lastNanos = now;
        tick++;
        for (ThreadActivity pipeline : pipelines) {
            for (ThreadActivity.OneThread each : pipeline.each(MOST_OF_A_DISPATCHER)) {
                put(each.id(), each.name(), each.dispatcher(), Kind.DISPATCHER, letter(each.state()));
            }
        }
        others(nanos);
        machinery();
        for (Row row : rows.values()) {
            if (row.tick != tick) {
                row.add(NONE);
                row.cpuShare = Double.NaN;
            }
        }
        rows.values().removeIf(Row::isGone);
    }

    private @Nullable Row put(long id, String name, String group, Kind kind, char letter) {
        Row row = rows.get(id);
        if (row == null) {
            if (rows.size() >= MOST_ROWS) {
                rows.values().removeIf(each -> each.tick < tick - 1);
            }
            if (rows.size() >= MOST_ROWS) {
                return null;
            }
            row = new Row(name, group, kind);
            rows.put(id, row);
        } else if (kind == Kind.DISPATCHER) {
            // An idle thread is listed with Weir's other threads. Move its row to the dispatcher.
            row.group = group;
            row.kind = kind;
        }
        if (row.tick != tick) {
            row.tick = tick;
            row.add(letter);
        }
        return row;
    }

    /** Reads the platform threads, and sets the CPU time of the pipeline's threads. */
    private void others(double nanos) {
        long[] ids = THREADS.getAllThreadIds();
        if (ids.length > MOST_ASKED) {
            ids = Arrays.copyOf(ids, MOST_ASKED);
        }
        ThreadInfo[] infos = THREADS.getThreadInfo(ids);
        int others = 0;
        for (ThreadInfo info : infos) {
            if (info == null) {
                continue;
            }
            Row row = rows.get(info.getThreadId());
            Kind kind = kindOf(info.getThreadName());
            if (row == null || row.kind != Kind.DISPATCHER) {
                if (kind == Kind.OTHER && ++others > MOST_OTHERS) {
                    continue;
                }
                row = put(info.getThreadId(), info.getThreadName(), groupOf(kind), kind, letter(info));
            }
            if (row != null) {
                cpu(row, info.getThreadId(), nanos);
                if (info.isInNative() && row.kind != Kind.DISPATCHER && row.cpuShare < 0.5) {
                    // The JDK reports a thread that waits in a system call, usually for the network, as running.
                    row.letters.setCharAt(row.letters.length() - 1, 'W');
                }
            }
        }
    }

    private static void cpu(Row row, long id, double nanos) {
        long used = THREADS.isThreadCpuTimeEnabled() ? THREADS.getThreadCpuTime(id) : -1;
        row.cpuShare = used < 0 || row.cpuNanos < 0 ? Double.NaN : Math.clamp((used - row.cpuNanos) / nanos, 0.0, 1.0);
        row.cpuNanos = used;
    }

    private void machinery() {
        long collected = collectorMillis();
        long compiled = compilerMillis();
        put(
                COLLECTOR,
                "garbage collector, all its threads",
                "collector",
                Kind.JVM,
                collected > collectorMillis ? 'R' : 'P');
        if (compiled >= 0) {
            put(COMPILER, "compiler, all its threads", "compiler", Kind.JVM, compiled > compilerMillis ? 'R' : 'P');
        }
        collectorMillis = collected;
        compilerMillis = compiled;
    }

    private static long collectorMillis() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .mapToLong(GarbageCollectorMXBean::getCollectionTime)
                .sum();
    }

    private static long compilerMillis() {
        var compiler = ManagementFactory.getCompilationMXBean();
        return compiler == null || !compiler.isCompilationTimeMonitoringSupported()
                ? -1
                : compiler.getTotalCompilationTime();
    }

    private static Kind kindOf(String name) {
        if (name.startsWith("kafka-")) {
            return Kind.CLIENT;
        }
        return name.startsWith("weir-") ? Kind.WEIR : Kind.OTHER;
    }

    private static String groupOf(Kind kind) {
        return switch (kind) {
            case CLIENT -> "Kafka clients";
            case WEIR -> "Weir";
            default -> "other";
        };
    }

    private static char letter(ThreadActivity.State state) {
        return switch (state) {
            case RUNNING -> 'R';
            case PARKED -> 'P';
            case WAITING -> 'W';
            case SLEEPING -> 'S';
            case BLOCKED -> 'B';
        };
    }

    /**
     * Returns the character for a thread's state, without reading its stack. A timed wait without a lock object counts
     * as sleep, and a wait for a lock of java.util.concurrent as park.
     */
    private static char letter(ThreadInfo info) {
        LockInfo lock = info.getLockInfo();
        return switch (info.getThreadState()) {
            case BLOCKED -> 'B';
            case WAITING, TIMED_WAITING ->
                lock == null
                        ? info.getThreadState() == Thread.State.TIMED_WAITING ? 'S' : 'P'
                        : lock.getClassName().startsWith("java.util.concurrent.") ? 'P' : 'W';
            default -> 'R';
        };
    }

    /** Writes the rows into the JSON array that the caller has started. */
    void write(JsonGenerator json) throws IOException {
        List<Row> sorted = new ArrayList<>(rows.values());
        sorted.sort(Comparator.comparing((Row row) -> row.kind)
                .thenComparing(row -> row.group)
                .thenComparing(row -> row.name));
        for (Row row : sorted) {
            json.writeStartObject();
            json.writeStringField("name", row.name);
            json.writeStringField("dispatcher", row.group);
            json.writeStringField("kind", row.kind.name().toLowerCase(Locale.ROOT));
            json.writeStringField("states", row.letters.toString());
            if (!Double.isNaN(row.cpuShare)) {
                json.writeNumberField("cpu_share", Math.round(row.cpuShare * 1000) / 1000.0);
            }
            json.writeEndObject();
        }
    }

    void clear() {
        rows.clear();
    }
}
