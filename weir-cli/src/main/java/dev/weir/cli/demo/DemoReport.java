package dev.weir.cli.demo;

import dev.weir.cli.pipeline.LimiterFields;
import dev.weir.examples.asimov.OutputLedger;
import dev.weir.metrics.Limiter;
import dev.weir.metrics.StageTime;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/** A demo's summary for people, within 80 columns: the verdict and the measurements. Confined to one thread. */
final class DemoReport {

    private static final int BAR_COLUMNS = 20;
    private static final int COLUMNS = 80;

    private final DemoSummary summary;

    // Characters for busy, blocked and starved time in the bars.
    private final String busy;
    private final String blocked;
    private final String starved;

    /** Creates the report for a terminal with {@code charset}. */
    DemoReport(DemoSummary summary, Charset charset) {
        this.summary = summary;
        boolean hasBlocks = charset.newEncoder().canEncode("█▒░");
        this.busy = hasBlocks ? "█" : "#";
        this.blocked = hasBlocks ? "▒" : "=";
        this.starved = hasBlocks ? "░" : ".";
    }

    List<String> lines() {
        if (summary.books().recordsIn() == 0) {
            return List.of("OK: stopped before the first event.");
        }
        List<String> lines = new ArrayList<>();
        lines.add(verdict(summary.books()));
        lines.add("");
        books(lines);
        lines.add("");
        speed(lines);
        lines.add("");
        stages(lines);
        return lines;
    }

    static String verdict(OutputLedger.Summary books) {
        if (books.flawless()) {
            return "OK: nothing lost, nothing twice, every session in order.";
        }
        List<String> faults = new ArrayList<>();
        fault(faults, books.lost(), "lost");
        fault(faults, books.duplicates(), "duplicated");
        fault(faults, books.outOfOrder(), "out of order");
        fault(faults, books.misplaced(), "in the wrong topic or under the wrong key");
        fault(faults, books.foreign(), "that were never generated");
        return "FAILED: " + String.join(", ", faults) + ".";
    }

    private static void fault(List<String> faults, long count, String what) {
        if (count > 0) {
            faults.add(String.format(Locale.ROOT, "%,d %s", count, what));
        }
    }

    private void books(List<String> lines) {
        OutputLedger.Summary books = summary.books();
        lines.add(String.format(Locale.ROOT, "  in             %,12d   events", books.recordsIn()));
        lines.add(String.format(Locale.ROOT, "  out            %,12d   page views", books.recordsOut()));
        lines.add(String.format(
                Locale.ROOT, "  dead-lettered  %,12d   malformed events, each with its reason", books.deadLettered()));
        lines.add(String.format(Locale.ROOT, "  lost           %,12d", books.lost()));
        lines.add(String.format(Locale.ROOT, "  duplicated     %,12d", books.duplicates()));
        lines.add(String.format(Locale.ROOT, "  out of order   %,12d", books.outOfOrder()));
        lines.add(String.format(Locale.ROOT, "  misplaced      %,12d", books.misplaced()));
    }

    private void speed(List<String> lines) {
        Histogram latency = summary.latencyMillis();
        String from = summary.plan().isPaced()
                ? "counted from the planned times"
                : "mostly waiting in the topic: try --rate 5000";
        lines.add(String.format(
                Locale.ROOT,
                "  rate           %,12d   records/s over %.1f s",
                summary.recordsPerSecond(),
                summary.elapsedMillis() / 1e3));
        lines.add(String.format(Locale.ROOT, "  latency  p50   %,12d   ms", latency.getValueAtPercentile(50)));
        lines.add(String.format(Locale.ROOT, "           p99   %,12d   ms", latency.getValueAtPercentile(99)));
        lines.add(String.format(Locale.ROOT, "           max   %,12d   ms, %s", latency.getMaxValue(), from));
    }

    /** Adds a table of each stage's time, over the period of the limiter's measurement. */
    private void stages(List<String> lines) {
        Limiter limiter = summary.limiter();
        double allWork = limiter.stages().stream().mapToDouble(DemoReport::work).sum();
        lines.add(String.format(
                Locale.ROOT,
                "  where the time went   work   busy  starved  blocked   %s busy  %s blocked",
                busy,
                blocked));
        for (StageTime stage : limiter.stages()) {
            lines.add(String.format(
                    Locale.ROOT,
                    "  %-14s x%-4d %5.0f %%  %3.0f %%    %3.0f %%    %3.0f %%   %s",
                    stage.stage(),
                    stage.threads(),
                    allWork == 0 ? 0 : 100 * work(stage) / allWork,
                    100 * stage.working(),
                    100 * stage.starved(),
                    100 * stage.blocked(),
                    bar(stage)));
        }
        lines.add("  work: share of all that was done; starved: no input; blocked: output not taken");
        lines.add(String.format(Locale.ROOT, "  all of the %.1f s of the finding below", limiter.seconds()));
        lines.add("");
        LimiterFields.lines(limiter, COLUMNS - 2).forEach(line -> lines.add("  " + line));
    }

    /** Returns the average number of threads that worked in the stage. */
    private static double work(StageTime stage) {
        return stage.working() * stage.threads();
    }

    private String bar(StageTime stage) {
        int busyColumns = columns(stage.working());
        int blockedColumns = Math.min(columns(stage.blocked()), BAR_COLUMNS - busyColumns);
        int starvedColumns = Math.min(columns(stage.starved()), BAR_COLUMNS - busyColumns - blockedColumns);
        return busy.repeat(busyColumns) + blocked.repeat(blockedColumns) + starved.repeat(starvedColumns);
    }

    private static int columns(double share) {
        return (int) Math.round(share * BAR_COLUMNS);
    }
}
