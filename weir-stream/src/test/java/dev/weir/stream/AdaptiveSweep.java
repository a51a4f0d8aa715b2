package dev.weir.stream;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiFunction;
import java.util.stream.IntStream;

/**
 * Measures parallel stages with fixed limits and with the adaptive limit, and writes the table of
 * {@code docs/benchmarks/adaptive.md}. Arguments: the file to write, a part of the row names to measure, the number of
 * rounds. Not a test: it takes five and a half minutes, and its result depends on the machine. Does not count the first
 * half second of a run with a fixed limit, or the first six seconds with the adaptive limit.
 */
final class AdaptiveSweep {

    private static final int[] FIXED = {1, 2, 4, 8, 16, 32, 64, 128, 256};
    private static final Parallelism ADAPTIVE = Parallelism.adaptive(1, 256);

    private static final int ROUNDS = 3;
    private static final double GOAL = 0.9;

    private AdaptiveSweep() {}

    /** A stage with handlers of one kind. */
    private record Row(String name, BiFunction<Source<Integer>, Parallelism, Source<Integer>> stage) {}

    public static void main(String[] args) throws Exception {
        Row[] rows = {
            blocking("mapBlocking, computes 50 us", 50, 0),
            blocking("mapBlocking, sleeps 2 ms", 0, 2000),
            blocking("mapBlocking, computes 50 us and sleeps 1 ms", 50, 1000),
            new Row(
                    "mapParallel, computes 50 us",
                    (source, n) -> source.mapParallel(n, element -> {
                        compute(50);
                        return element;
                    })),
        };
        String wanted = args.length > 1 ? args[1] : "";
        int rounds = args.length > 2 ? Integer.parseInt(args[2]) : ROUNDS;
        StringBuilder table = new StringBuilder("| handler |");
        IntStream.of(FIXED).forEach(n -> table.append(" ").append(n).append(" |"));
        table.append(" adaptive | its limit | share of the best |\n|---|")
                .append("--:|".repeat(FIXED.length + 3))
                .append('\n');
        for (Row row : rows) {
            if (row.name.contains(wanted)) {
                append(table, row, rounds);
                write(Path.of(args[0]), table);
            }
        }
    }

    private static void append(StringBuilder table, Row row, int rounds) throws Exception {
        table.append("| ").append(row.name).append(" |");
        double[][] rates = new double[FIXED.length + 1][rounds];
        int limit = 0;
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < FIXED.length; i++) {
                rates[i][round] = measure(row, Parallelism.fixed(FIXED[i]), 500, 1500).rate;
            }
            Measured adaptive = measure(row, ADAPTIVE, 6000, 3000);
            rates[FIXED.length][round] = adaptive.rate;
            limit = adaptive.limit;
        }
        double best = 0;
        for (int i = 0; i < FIXED.length; i++) {
            best = Math.max(best, median(rates[i]));
            table.append(String.format(Locale.ROOT, " %.0f |", median(rates[i])));
        }
        double adaptive = median(rates[FIXED.length]);
        table.append(String.format(
                Locale.ROOT,
                " %.0f | %d | %.0f %%%s |%n",
                adaptive,
                limit,
                100 * adaptive / best,
                adaptive < GOAL * best ? ", below the goal of 90 %" : ""));
    }

    private static double median(double[] rates) {
        double[] sorted = rates.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    private static void write(Path to, StringBuilder table) throws IOException {
        Files.writeString(to, table, StandardCharsets.UTF_8);
    }

    private record Measured(double rate, int limit) {}

    private static Measured measure(Row row, Parallelism parallelism, int warmMillis, int millis) throws Exception {
        LongAdder count = new LongAdder();
        Source<Integer> numbers = Source.from(() -> IntStream.iterate(0, n -> 1).iterator());
        try (RunningPipeline running = row.stage
                .apply(numbers, parallelism)
                .to(Sink.forEach(n -> count.increment()))
                .run()) {
            letRun(running, warmMillis);
            long before = count.sum();
            long start = System.nanoTime();
            letRun(running, millis);
            double rate = (count.sum() - before) * 1e9 / (System.nanoTime() - start);
            return new Measured(rate, running.stages().get(1).parallelism());
        }
    }

    private static void letRun(RunningPipeline running, int millis) throws Exception {
        try {
            Object report = running.completion().toCompletableFuture().get(millis, TimeUnit.MILLISECONDS);
            throw new IllegalStateException("it ended while it was measured: " + report);
        } catch (TimeoutException stillRunning) {
            // Expected: the run has not ended.
        }
    }

    private static Row blocking(String name, int computeMicros, int sleepMicros) {
        return new Row(
                name,
                (source, n) -> source.mapBlocking(n, Ordering.unordered(), element -> {
                    if (computeMicros > 0) {
                        compute(computeMicros);
                    }
                    if (sleepMicros > 0) {
                        LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(sleepMicros));
                    }
                    return element;
                }));
    }

    /**
     * Does work that takes about the given time on an idle processor. Threads that loop until a deadline would not slow
     * each other down.
     */
    private static void compute(int micros) {
        double x = 1;
        for (int i = 0; i < micros * 100; i++) {
            x = Math.sqrt(x + i);
        }
        if (x == 0) {
            throw new AssertionError();
        }
    }
}
