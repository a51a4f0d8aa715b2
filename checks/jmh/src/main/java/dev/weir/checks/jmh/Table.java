package dev.weir.checks.jmh;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;

/**
 * Runs benchmarks with JMH's own command line and writes the table of docs/benchmarks/engine.md: a row per benchmark and
 * parameters; of each contender the median over all iterations of all forks, with the least and the greatest.
 *
 * <p>Run: {@code java -cp checks/jmh/target/benchmarks.jar dev.weir.checks.jmh.Table engine.md -f 2 -prof gc}: the file to
 * write, then what JMH takes.
 */
public final class Table {

    private static final String BASELINE = "weir";

    private Table() {}

    /** Runs and writes. */
    public static void main(String[] args) throws IOException, CommandLineOptionException, RunnerException {
        List<String> options = List.of(args).subList(1, args.length);
        Collection<RunResult> results = new Runner(new CommandLineOptions(options.toArray(new String[0]))).run();
        String table = markdown(results);
        Files.writeString(Path.of(args[0]), table);
        System.out.println(table);
    }

    private static String markdown(Collection<RunResult> results) {
        Map<String, Map<String, RunResult>> rows = new TreeMap<>();
        for (RunResult result : results) {
            rows.computeIfAbsent(rowOf(result.getParams()), row -> new LinkedHashMap<>())
                    .put(contenderOf(result.getParams()), result);
        }
        StringBuilder table = new StringBuilder("""
                | benchmark | contender | median | least to greatest | times Weir's | bytes |
                |---|---|--:|--:|--:|--:|
                """);
        rows.forEach((row, contenders) -> {
            RunResult weir = contenders.get(BASELINE);
            contenders.entrySet().stream()
                    .sorted((one, other) -> Boolean.compare(
                            other.getKey().equals(BASELINE), one.getKey().equals(BASELINE)))
                    .forEach(entry -> table.append(line(row, entry.getKey(), entry.getValue(), weir)));
        });
        return table.toString();
    }

    private static String line(
            String row, String contender, RunResult result, @org.jspecify.annotations.Nullable RunResult weir) {
        String unit = result.getPrimaryResult().getScoreUnit().replace("/op", "");
        String ratio = weir == null ? "" : String.format(Locale.ROOT, "%.1f", median(result) / median(weir));
        String median;
        String spread;
        if (result.getParams().getMode() == Mode.SampleTime) {
            var samples = result.getPrimaryResult().getStatistics();
            median = String.format(Locale.ROOT, "p50 %.1f %s", samples.getPercentile(50), unit);
            spread = String.format(
                    Locale.ROOT, "p99 %.1f, p99.9 %.1f", samples.getPercentile(99), samples.getPercentile(99.9));
        } else {
            List<Double> scores = scores(result);
            median = String.format(Locale.ROOT, "%.2f %s", median(result), unit);
            spread = String.format(Locale.ROOT, "%.2f to %.2f", scores.getFirst(), scores.getLast());
        }
        return "| %s | %s | %s | %s | %s | %s |%n".formatted(row, contender, median, spread, ratio, bytes(result));
    }

    private static String rowOf(BenchmarkParams params) {
        StringBuilder row =
                new StringBuilder(params.getBenchmark().replaceAll(".*\\.(\\w+?)(Benchmark)?\\.\\w+$", "$1"));
        // A number sorts by its size.
        params.getParamsKeys()
                .forEach(key -> row.append(", ").append(key).append(' ').append(params.getParam(key)));
        return row.toString();
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

    /** The score of each iteration, sorted. */
    private static List<Double> scores(RunResult result) {
        List<Double> scores = new ArrayList<>();
        result.getBenchmarkResults()
                .forEach(fork -> fork.getIterationResults()
                        .forEach(iteration ->
                                scores.add(iteration.getPrimaryResult().getScore())));
        scores.sort(null);
        return scores;
    }

    private static String bytes(RunResult result) {
        return result.getSecondaryResults().entrySet().stream()
                .filter(entry -> entry.getKey().endsWith("gc.alloc.rate.norm"))
                .map(Map.Entry::getValue)
                .findFirst()
                .map(Result::getScore)
                .map(bytes -> String.format(Locale.ROOT, "%.1f", bytes))
                .orElse("");
    }
}
