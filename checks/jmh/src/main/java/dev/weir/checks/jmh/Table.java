package dev.weir.checks.jmh;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * Runs benchmarks with JMH's command line and writes the table of docs/benchmarks/engine.md: a row for each benchmark
 * and set of parameters, and a column for each contender. A cell has the median, minimum and maximum over all
 * iterations, the allocated bytes, and the median as a multiple of Weir's. The contenders' forks take turns.
 *
 * <p>Run: {@code java -cp checks/jmh/target/benchmarks.jar dev.weir.checks.jmh.Table engine.md Chain -f 1}: the file to
 * write, followed by JMH's arguments. By default, all benchmarks run. A failed contender has a dash in its cell, and
 * its failure is in the output.
 */
public final class Table {

    private static final String BASELINE = "weir";
    private static final String OTHER = "";
    private static final Map<String, String> COLUMNS = columns();

    /** Slow, because Reactor checks 100,000 inner streams for each element. */
    private static final String SLOW = "GroupByBenchmark.reactor";

    /** These benchmarks have few runs per second, so code that runs once per run is compiled late. */
    private static final String LATE = "MapParallel\\d+Us";

    private static final int LATE_WARMUP_SECONDS = 12;
    private static final int LATE_FORKS = 5;

    private Table() {}

    private static Map<String, String> columns() {
        Map<String, String> columns = new LinkedHashMap<>();
        columns.put(BASELINE, "Weir");
        columns.put("pekko", "Pekko");
        columns.put("reactor", "Reactor");
        columns.put("jox", "Jox");
        columns.put("loop", "plain loop");
        columns.put(OTHER, "other");
        return columns;
    }

    /** Runs the benchmarks and writes the table. */
    public static void main(String[] args) throws IOException, CommandLineOptionException, RunnerException {
        List<String> rest = List.of(args).subList(1, args.length);
        Options asked = new CommandLineOptions(rest.toArray(new String[0]));
        int forks = asked.getForkCount().orElse(2);
        List<RunResult> results = new ArrayList<>();
        if (asked.getIncludes().isEmpty()) {
            results.addAll(run(asWeAreUsedTo(asked).exclude(SLOW).exclude(LATE), forks));
            results.addAll(run(
                    asWeAreUsedTo(asked)
                            .include(LATE)
                            .warmupIterations(LATE_WARMUP_SECONDS)
                            .warmupTime(TimeValue.seconds(1)),
                    LATE_FORKS));
            results.addAll(run(asWeAreUsedTo(asked).include(SLOW).param("keys", "10"), forks));
            results.addAll(run(
                    asWeAreUsedTo(asked)
                            .include(SLOW)
                            .param("keys", "100000")
                            .warmupIterations(0)
                            .measurementIterations(1),
                    1));
        } else {
            results.addAll(run(asWeAreUsedTo(asked), forks));
        }
        String table = markdown(results);
        Files.writeString(Path.of(args[0]), table);
        System.out.println(table);
    }

    /** Fills in defaults with which all benchmarks take less than half an hour. */
    private static ChainedOptionsBuilder asWeAreUsedTo(Options asked) {
        TimeValue each = TimeValue.milliseconds(700);
        return new OptionsBuilder()
                .parent(asked)
                .warmupIterations(asked.getWarmupIterations().orElse(3))
                .warmupTime(asked.getWarmupTime().orElse(each))
                .measurementIterations(asked.getMeasurementIterations().orElse(3))
                .measurementTime(asked.getMeasurementTime().orElse(each))
                .addProfiler(GCProfiler.class);
    }

    /** Runs one fork of each contender in turn, because the machine's speed varies. */
    private static Collection<RunResult> run(ChainedOptionsBuilder options, int forks) throws RunnerException {
        Map<String, RunResult> merged = new LinkedHashMap<>();
        for (int fork = 0; fork < forks; fork++) {
            for (RunResult result : new Runner(options.forks(1).build()).run()) {
                merged.merge(result.getParams().id(), result, Table::together);
            }
        }
        return merged.values();
    }

    private static RunResult together(RunResult some, RunResult more) {
        List<BenchmarkResult> all = new ArrayList<>(some.getBenchmarkResults());
        all.addAll(more.getBenchmarkResults());
        return new RunResult(some.getParams(), all);
    }

    private static String markdown(Collection<RunResult> results) {
        Map<String, Map<String, RunResult>> rows = new TreeMap<>(Comparator.comparing(Table::withPaddedNumbers));
        for (RunResult result : results) {
            rows.computeIfAbsent(rowOf(result.getParams()), row -> new TreeMap<>())
                    .put(contenderOf(result.getParams()), result);
        }
        StringBuilder table = new StringBuilder("| benchmark | ");
        table.append(String.join(" | ", COLUMNS.values())).append(" |\n|---|");
        table.append("---|".repeat(COLUMNS.size())).append('\n');
        rows.forEach((row, contenders) -> {
            table.append("| ").append(row).append(" |");
            COLUMNS.keySet()
                    .forEach(column ->
                            table.append(' ').append(cells(column, contenders)).append(" |"));
            table.append('\n');
        });
        return table.toString();
    }

    /** Returns the text of a contender's cell. Pekko's column also shows {@code pekkoBuffer1024}. */
    private static String cells(String column, Map<String, RunResult> contenders) {
        RunResult weir = contenders.get(BASELINE);
        return contenders.entrySet().stream()
                .filter(entry -> columnOf(entry.getKey()).equals(column))
                .map(entry -> cell(entry.getKey().substring(column.length()), entry.getValue(), weir))
                .collect(Collectors.collectingAndThen(
                        Collectors.joining("<br>"), cells -> cells.isEmpty() ? "-" : cells));
    }

    private static String columnOf(String contender) {
        return COLUMNS.keySet().stream()
                .filter(contender::startsWith)
                .findFirst()
                .orElseThrow();
    }

    private static String cell(String variant, RunResult result, @Nullable RunResult weir) {
        StringBuilder cell = new StringBuilder(variant.isEmpty() ? "" : variant + ": ");
        String unit = result.getPrimaryResult().getScoreUnit().replace("/op", "");
        if (result.getParams().getMode() == Mode.SampleTime) {
            var samples = result.getPrimaryResult().getStatistics();
            cell.append(text(
                    "**%.1f %s** (p99 %.1f, p99.9 %.1f)",
                    median(result), unit, samples.getPercentile(99), samples.getPercentile(99.9)));
        } else {
            List<Double> scores = scores(result);
            cell.append(text("**%.2f %s** (%.2f to %.2f)", median(result), unit, scores.getFirst(), scores.getLast()));
            cell.append(bytes(result));
        }
        if (weir != null && weir != result) {
            cell.append(text(", x %.1f", median(result) / median(weir)));
        }
        return cell.toString();
    }

    @SuppressWarnings("AnnotateFormatMethod") // its annotation needs another dependency
    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }

    private static String rowOf(BenchmarkParams params) {
        StringBuilder row =
                new StringBuilder(params.getBenchmark().replaceAll(".*\\.(\\w+?)(Benchmark)?\\.\\w+$", "$1"));
        params.getParamsKeys()
                .forEach(key -> row.append(", ")
                        .append(params.getParam(key))
                        .append(' ')
                        .append(key));
        return row.toString();
    }

    /** Pads numbers so that they sort by size. */
    private static String withPaddedNumbers(String row) {
        return Pattern.compile("\\d+")
                .matcher(row)
                .replaceAll(number -> String.format(Locale.ROOT, "%09d", Integer.parseInt(number.group())));
    }

    private static String contenderOf(BenchmarkParams params) {
        return params.getBenchmark().replaceAll(".*\\.", "");
    }

    private static double median(RunResult result) {
        if (result.getParams().getMode() == Mode.SampleTime) {
            return result.getPrimaryResult().getStatistics().getPercentile(50);
        }
        List<Double> scores = scores(result);
        int middle = scores.size() / 2;
        return scores.size() % 2 == 1 ? scores.get(middle) : (scores.get(middle - 1) + scores.get(middle)) / 2;
    }

    private static List<Double> scores(RunResult result) {
        List<Double> scores = new ArrayList<>();
        result.getBenchmarkResults()
                .forEach(fork -> fork.getIterationResults()
                        .forEach(iteration ->
                                scores.add(iteration.getPrimaryResult().getScore())));
        scores.sort(null);
        return scores;
    }

    @SuppressWarnings("rawtypes") // JMH returns a map of raw results
    private static String bytes(RunResult result) {
        return result.getSecondaryResults().entrySet().stream()
                .filter(entry -> entry.getKey().endsWith("gc.alloc.rate.norm"))
                .map(Map.Entry::getValue)
                .findFirst()
                .map(Result::getScore)
                .map(bytes -> text(", %.1f B", bytes))
                .orElse("");
    }
}
