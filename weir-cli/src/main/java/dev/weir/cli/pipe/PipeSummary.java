package dev.weir.cli.pipe;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.cli.pipeline.LimiterFields;
import dev.weir.cli.pipeline.RangeFields;
import dev.weir.cli.pipeline.StageFields;
import dev.weir.command.terminal.JsonLines;
import dev.weir.command.terminal.Printable;
import dev.weir.kafka.ConsumerSnapshot;
import dev.weir.kafka.ConsumerSnapshot.PartitionSnapshot;
import dev.weir.kafka.ConsumerSnapshot.RecordRange;
import dev.weir.kafka.ProducerHandle;
import dev.weir.kafka.TransactionHandle;
import dev.weir.metrics.Limiter;
import dev.weir.metrics.StageTime;
import dev.weir.stream.DrainReport;
import dev.weir.stream.StageSnapshot;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The summary of a pipe, for people and for programs. Immutable.
 *
 * @param guarantee the value of {@code --guarantee}
 * @param deadLettered records written to the dead-letter topic
 * @param deadLettersInOutput dead-letter records written by the output stage
 * @param deadLettersCut dead-letter records written without their value, because they were too large for their topic
 * @param consumer the consumer's last state
 * @param noAnswerSince time of the last answer if the brokers have stopped answering, otherwise null
 * @param latency times from a record's timestamp to its acknowledgement, or null if not measured
 * @param limiter the limiter that applied for most of the time
 * @param share the member's summary if the pipe uses a share group, otherwise null
 * @param transactions the outcomes of transactions, or null if the pipe uses none
 * @param failure the reason why the run ended early, or null
 */
record PipeSummary(
        DrainReport report,
        String guarantee,
        long deadLettered,
        long deadLettersInOutput,
        long deadLettersCut,
        ConsumerSnapshot consumer,
        @Nullable Instant noAnswerSince,
        ProducerHandle.@Nullable Latency latency,
        Limiter limiter,
        @Nullable ShareSummary share,
        TransactionHandle.@Nullable Snapshot transactions,
        @Nullable String failure) {

    /** Maximum number of partitions in the text. The JSON contains all of them. */
    private static final int MAX_PARTITIONS_SHOWN = 20;

    private static final int MAX_RANGES_SHOWN = 20;

    private static final int COLUMNS = 118;

    /** The name of the stage that counts written dead-letter records. */
    static final String DEAD_LETTER_COUNT = "dead-letters";

    /** Names of stages that Weir adds to the pipeline. These stages do no work, and the user did not name them. */
    private static final Set<String> INTERNAL_STAGES =
            Set.of("map", "again", "failed", "divertTo", "done", "results", DEAD_LETTER_COUNT);

    private List<StageSnapshot> shownStages() {
        return report.stages().stream()
                .filter(stage -> !INTERNAL_STAGES.contains(stage.name()))
                .toList();
    }

    private long in() {
        return report.stages().getFirst().elementsIn();
    }

    /** Records accepted by the brokers, without dead-letter records. */
    private long out() {
        return Math.max(0, report.stages().getLast().elementsOut() - deadLettersInOutput);
    }

    private double perSecond() {
        return (out() + deadLettered) * 1e9 / Math.max(1, report.elapsed().toNanos());
    }

    void write(JsonLines json) {
        json.write(line -> {
            line.writeStringField("guarantee", guarantee);
            line.writeNumberField("records_in", in());
            line.writeNumberField("records_out", out());
            line.writeNumberField("dead_lettered", deadLettered);
            line.writeNumberField("dead_letters_cut", deadLettersCut);
            line.writeNumberField("elapsed_ms", report.elapsed().toMillis());
            line.writeNumberField("records_per_second", Math.round(perSecond()));
            line.writeBooleanField("drained", report.drained());
            line.writeArrayFieldStart("left_undone");
            for (String left : report.leftUndone()) {
                line.writeString(left);
            }
            line.writeEndArray();
            if (!report.drained() && share == null) {
                writeNextRun(line);
            }
            if (failure != null || !report.drained()) {
                line.writeStringField("error", failure != null ? failure : notDrained());
            }
            line.writeNumberField("commits", consumer.commits());
            line.writeNumberField("failed_commits", consumer.failedCommits());
            line.writeNumberField("rebalances", consumer.rebalances());
            RangeFields.write(line, "records_dropped", consumer.dropped());
            RangeFields.write(line, "records_skipped", consumer.skipped());
            line.writeNumberField("records_left_undone", consumer.leftUndone());
            writeLatency(line);
            LimiterFields.write(line, limiter);
            line.writeStringField(
                    "bottleneck", report.stages().stream().anyMatch(this::limits) ? limiter.name() : null);
            if (transactions != null) {
                write(line, transactions);
            }
            writeStages(line);
            if (share != null) {
                share.write(line);
            }
        });
    }

    /** Writes the latency; without values if no record with a timestamp was acknowledged. */
    private void writeLatency(JsonGenerator line) throws IOException {
        line.writeObjectFieldStart("latency_ms");
        if (latency == null || latency.count() == 0) {
            line.writeNullField("p50");
            line.writeNullField("p99");
            line.writeNullField("max");
        } else {
            line.writeNumberField("p50", latency.p50());
            line.writeNumberField("p99", latency.p99());
            line.writeNumberField("max", latency.max());
        }
        line.writeEndObject();
    }

    private boolean limits(StageSnapshot stage) {
        return limiter.kind().isLimit() && stage.name().equals(limiter.name());
    }

    private static void write(JsonGenerator line, TransactionHandle.Snapshot transactions) throws IOException {
        line.writeObjectFieldStart("transactions");
        line.writeNumberField("committed", transactions.committed());
        line.writeNumberField("aborted", transactions.aborted());
        line.writeNumberField("rewound_records", transactions.rewoundRecords());
        line.writeNumberField("overlapped", transactions.overlapped());
        line.writeNumberField("fenced", transactions.fenced());
        line.writeObjectFieldStart("commit_ms");
        line.writeNumberField("p50", millis(transactions.commitMedian()));
        line.writeNumberField("p99", millis(transactions.commitP99()));
        line.writeNumberField("max", millis(transactions.commitMax()));
        line.writeEndObject();
        line.writeEndObject();
    }

    private static double millis(Duration time) {
        return rounded(time.toNanos() / 1e6);
    }

    /** Writes the offset at which the next run starts in each partition; null if nothing was committed. */
    private void writeNextRun(JsonGenerator line) throws IOException {
        line.writeArrayFieldStart("next_run");
        for (PartitionSnapshot partition : consumer.partitions()) {
            line.writeStartObject();
            line.writeStringField("topic", partition.topic());
            line.writeNumberField("partition", partition.partition());
            if (partition.committed() >= 0) {
                line.writeNumberField("offset", partition.committed());
            } else {
                line.writeNullField("offset");
            }
            line.writeEndObject();
        }
        line.writeEndArray();
    }

    private String notDrained() {
        return (noAnswerSince == null
                        ? "not drained"
                        : "not drained: no broker answers since " + noAnswerSince.truncatedTo(ChronoUnit.SECONDS))
                + "; " + nextRun();
    }

    private String nextRun() {
        if (share != null) {
            return "what was under way goes back to the share group";
        }
        List<PartitionSnapshot> partitions = consumer.partitions();
        if (partitions.isEmpty()) {
            return "the next run begins where the group has committed";
        }
        String places = partitions.stream()
                .limit(MAX_PARTITIONS_SHOWN)
                .map(each -> each.topic() + "-" + each.partition()
                        + (each.committed() >= 0 ? "@" + each.committed() : " where this run began"))
                .collect(Collectors.joining(", "));
        int more = partitions.size() - MAX_PARTITIONS_SHOWN;
        return "the next run begins at " + places + (more > 0 ? " and in " + more + " more partitions" : "");
    }

    private String drained() {
        return consumer.dropped().isEmpty() && consumer.skipped().isEmpty()
                ? "drained: everything read is written and committed"
                : "drained: everything read is written and committed, but for these records";
    }

    private static void appendRanges(StringBuilder text, String what, List<RecordRange> ranges) {
        for (RecordRange range : ranges.subList(0, Math.min(ranges.size(), MAX_RANGES_SHOWN))) {
            text.append(String.format(
                    Locale.ROOT,
                    "%n  %s: %s, %,d %s, %s, %s",
                    what,
                    DroppedText.place(range),
                    range.count(),
                    what.equals("dropped") ? "records read" : "offsets never read",
                    range.reason(),
                    range.isGone() ? "lost" : "read again"));
        }
        if (ranges.size() > MAX_RANGES_SHOWN) {
            text.append(String.format(
                    Locale.ROOT, "%n  %s: %,d more ranges, see --json", what, ranges.size() - MAX_RANGES_SHOWN));
        }
    }

    /** Writes each stage's counts for the whole run, and its shares of time in the limiter's measurement. */
    private void writeStages(JsonGenerator line) throws IOException {
        line.writeArrayFieldStart("stages");
        for (StageSnapshot stage : shownStages()) {
            StageTime time = limiter.stage(stage.name());
            line.writeStartObject();
            line.writeStringField("name", stage.name());
            line.writeNumberField("parallelism", time == null ? stage.parallelism() : time.threads());
            line.writeNumberField("in", stage.elementsIn());
            line.writeNumberField("out", stage.elementsOut());
            StageFields.writeShares(line, time);
            line.writeEndObject();
        }
        line.writeEndArray();
    }

    private static double rounded(double share) {
        return Math.round(share * 1000) / 1000.0;
    }

    String cutDeadLetters() {
        return String.format(
                Locale.ROOT,
                "%,d of the dead-letter records were too large for their topic and were written without their value:"
                        + " raise its max.message.bytes, or use --dead-letter-too-large fail",
                deadLettersCut);
    }

    String text() {
        StringBuilder text = new StringBuilder();
        text.append(String.format(
                Locale.ROOT,
                "%,d records in, %,d out, %,d dead-letter records in %.1f s: %,d/s%n",
                in(),
                out(),
                deadLettered,
                report.elapsed().toMillis() / 1000.0,
                Math.round(perSecond())));
        if (deadLettersCut > 0) {
            text.append(cutDeadLetters()).append(System.lineSeparator());
        }
        if (share != null) {
            text.append(share.text()).append(System.lineSeparator());
        }
        if (transactions != null) {
            text.append(String.format(
                    Locale.ROOT,
                    "%,d transactions committed, %,d aborted; a commit took %.1f ms, %.1f ms at the 99th percentile%n",
                    transactions.committed(),
                    transactions.aborted(),
                    millis(transactions.commitMedian()),
                    millis(transactions.commitP99())));
        }
        text.append(report.drained() ? drained() : Printable.line(notDrained()));
        appendRanges(text, "dropped", consumer.dropped());
        appendRanges(text, "skipped", consumer.skipped());
        report.leftUndone()
                .forEach(
                        left -> text.append(System.lineSeparator()).append("  ").append(Printable.line(left)));
        appendStages(text);
        if (latency != null && latency.count() > 0) {
            text.append(String.format(
                    Locale.ROOT,
                    "%n  from timestamp to acknowledgement: p50 %,d ms, p99 %,d ms, max %,d ms",
                    latency.p50(),
                    latency.p99(),
                    latency.max()));
        }
        LimiterFields.lines(limiter, COLUMNS)
                .forEach(line -> text.append(String.format("%n  ")).append(Printable.line(line)));
        return text.toString();
    }

    /** Appends a table that shows how each stage spent the measured time. */
    private void appendStages(StringBuilder text) {
        text.append(String.format(
                Locale.ROOT,
                "%n  %-12s %7s %6s %8s %8s%s",
                "stage",
                "threads",
                "busy",
                "starved",
                "blocked",
                limiter.seconds() == 0
                        ? ""
                        : String.format(Locale.ROOT, "   in the %.1f s of the finding below", limiter.seconds())));
        for (StageSnapshot stage : shownStages()) {
            StageTime time = limiter.stage(stage.name());
            text.append(String.format(
                    Locale.ROOT,
                    "%n  %-12s %7d %6s %8s %8s%s",
                    stage.name(),
                    time == null ? stage.parallelism() : time.threads(),
                    time == null ? "-" : percent(time.working()),
                    time == null ? "-" : percent(time.starved()),
                    time == null ? "-" : percent(time.blocked()),
                    limits(stage) ? "  <- limits" : ""));
        }
    }

    private static String percent(double share) {
        return String.format(Locale.ROOT, "%.0f%%", 100 * share);
    }
}
