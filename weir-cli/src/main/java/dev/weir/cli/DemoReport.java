package dev.weir.cli;

import dev.weir.examples.asimov.OutputLedger;
import dev.weir.stream.StageSnapshot;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** A demo's summary for people: the verdict, then the figures, within 80 columns. Confined to one thread. */
final class DemoReport {

    private static final int BAR_COLUMNS = 20;

    private final DemoSummary summary;

    /** What bars are made of: busy, waiting for input, waiting for the stage below. */
    private final String[] shades;

    DemoReport(DemoSummary summary, Charset charset) {
        this.summary = summary;
        boolean drawsBlocks = charset.newEncoder().canEncode("█░▒");
        this.shades = drawsBlocks ? new String[] {"█", "░", "▒"} : new String[] {"#", ".", "-"};
    }

    List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add(verdict());
        lines.add("");
        books(lines);
        lines.add("");
        speed(lines);
        lines.add("");
        stages(lines);
        return lines;
    }

    private String verdict() {
        OutputLedger.Summary books = summary.books();
        if (books.flawless()) {
            return "OK: nothing lost, nothing twice, every session in order.";
        }
        List<String> faults = new ArrayList<>();
        fault(faults, books.lost(), "lost");
        fault(faults, books.duplicates(), "duplicated");
        fault(faults, books.outOfOrder(), "out of order");
        fault(faults, books.misplaced(), "in the wrong topic or under the wrong key");
        fault(faults, books.foreign(), "that nobody generated");
        return "FAILED: " + String.join(", ", faults) + ".";
    }

    private static void fault(List<String> faults, long count, String what) {
        if (count > 0) {
            faults.add("%,d %s".formatted(count, what));
        }
    }

    private void books(List<String> lines) {
        OutputLedger.Summary books = summary.books();
        lines.add("  in             %,12d   events".formatted(books.recordsIn()));
        lines.add("  out            %,12d   page views".formatted(books.recordsOut()));
        lines.add("  dead-lettered  %,12d   malformed events, each with its reason".formatted(books.deadLettered()));
        lines.add("  lost           %,12d".formatted(books.lost()));
        lines.add("  duplicated     %,12d".formatted(books.duplicates()));
        lines.add("  out of order   %,12d".formatted(books.outOfOrder()));
        lines.add("  misplaced      %,12d".formatted(books.misplaced()));
    }

    private void speed(List<String> lines) {
        var latency = summary.latencyMillis();
        lines.add("  rate           %,12d   records/s over %.1f s"
                .formatted(summary.recordsPerSecond(), summary.elapsedMillis() / 1e3));
        lines.add("  latency    p50 %,12d ms".formatted(latency.getValueAtPercentile(50)));
        lines.add("             p99 %,12d ms".formatted(latency.getValueAtPercentile(99)));
        lines.add("             max %,12d ms%s"
                .formatted(
                        latency.getMaxValue(),
                        summary.plan().isPaced() ? "" : "   mostly waiting in the topic: try --rate 5000"));
    }

    private void stages(List<String> lines) {
        lines.add("  where the time went     busy  starved  blocked   %s busy  %s starved  %s blocked"
                .formatted((Object[]) shades));
        StageSnapshot busiest = summary.stages().stream()
                .max(Comparator.comparingDouble(StageSnapshot::busyShare))
                .orElseThrow();
        for (StageSnapshot stage : summary.stages()) {
            lines.add("  %-16s x%-4d %4.0f %%   %4.0f %%   %4.0f %%   %s%s"
                    .formatted(
                            stage.name(),
                            stage.parallelism(),
                            100 * stage.busyShare(),
                            100 * stage.blockedUpShare(),
                            100 * stage.blockedDownShare(),
                            bar(stage),
                            stage == busiest ? "  <- busiest" : ""));
        }
    }

    private String bar(StageSnapshot stage) {
        int busy = columns(stage.busyShare());
        int down = Math.min(columns(stage.blockedDownShare()), BAR_COLUMNS - busy);
        int up = Math.min(columns(stage.blockedUpShare()), BAR_COLUMNS - busy - down);
        return (shades[0].repeat(busy) + shades[2].repeat(down) + shades[1].repeat(up));
    }

    private static int columns(double share) {
        return (int) Math.round(share * BAR_COLUMNS);
    }
}
