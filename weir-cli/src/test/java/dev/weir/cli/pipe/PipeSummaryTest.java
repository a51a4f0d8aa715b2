package dev.weir.cli.pipe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cli.pipeline.FusedFinding;
import dev.weir.command.terminal.JsonLines;
import dev.weir.kafka.ConsumerSnapshot;
import dev.weir.kafka.ConsumerSnapshot.PartitionSnapshot;
import dev.weir.kafka.ConsumerSnapshot.RecordRange;
import dev.weir.metrics.Limiter;
import dev.weir.metrics.Limiter.Kind;
import dev.weir.stream.DrainReport;
import dev.weir.stream.StageSnapshot;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class PipeSummaryTest {

    private static final ConsumerSnapshot CONSUMER = ConsumerSnapshot.of(
            List.of(PartitionSnapshot.of("in", 0, false, 3, 40, 7), PartitionSnapshot.of("in", 1, false, 0, -1, 0)),
            0,
            2,
            0,
            1);

    private static StageSnapshot stage(String name, long busyNanos) {
        return StageSnapshot.of(name, 1, 100, 100, busyNanos, 0, 0, 0, 1_000);
    }

    private static PipeSummary summary(boolean drained, @Nullable Instant noAnswerSince, Limiter limiter) {
        return summary(drained, noAnswerSince, limiter, CONSUMER);
    }

    private static PipeSummary summary(
            boolean drained, @Nullable Instant noAnswerSince, Limiter limiter, ConsumerSnapshot consumer) {
        return summary(
                drained,
                noAnswerSince,
                limiter,
                consumer,
                List.of(stage("consume", 10), stage("handle", 100), stage("produce", 730)));
    }

    private static PipeSummary summary(
            boolean drained,
            @Nullable Instant noAnswerSince,
            Limiter limiter,
            ConsumerSnapshot consumer,
            List<StageSnapshot> stages) {
        List<String> leftUndone = drained ? List.of() : List.of("consume: 3 unfinished");
        return new PipeSummary(
                DrainReport.of(drained, leftUndone, Duration.ofSeconds(1), stages),
                "at-least-once",
                0,
                0,
                0,
                consumer,
                noAnswerSince,
                null,
                limiter,
                null,
                null,
                null);
    }

    private static Limiter limiter(Kind kind, String name) {
        return Limiter.of(kind, name, "a finding", "an advice", 1);
    }

    private static String json(PipeSummary summary) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        summary.write(new JsonLines(new PrintStream(out, false, StandardCharsets.UTF_8)));
        return out.toString(StandardCharsets.UTF_8);
    }

    /** Regression: with {@code --via identity}, an idle stage was marked as the limiter. */
    @Test
    void stageThatLimits_isMarked_andNoOther() {
        PipeSummary summary = summary(true, null, limiter(Kind.STAGE_WAIT, "handle"));
        assertThat(summary.text().lines().filter(line -> line.contains("<- limits")))
                .singleElement()
                .asString()
                .contains("handle");
        assertThat(summary.text()).contains("stage-wait: a finding", "to do: an advice");
        assertThat(json(summary)).contains("\"bottleneck\":\"handle\"");
    }

    @Test
    void limiterThatIsNoStage_isNamed_andNoStageIsMarked() {
        PipeSummary summary = summary(true, null, limiter(Kind.ARRIVAL, "arrival"));
        assertThat(summary.text()).contains("arrival: a finding").doesNotContain("<- limits");
        assertThat(json(summary)).contains("\"bottleneck\":null");
    }

    /** Regression: a stage was marked although the sentence said that nothing is at its limit. */
    @ParameterizedTest
    @EnumSource(names = {"ARRIVAL", "SOURCE_IDLE", "MEASURING"})
    void findingWithoutALimit_marksNoStage(Kind kind) {
        PipeSummary summary = summary(true, null, limiter(kind, "handle"));
        assertThat(summary.text()).contains(kind.id() + ": a finding").doesNotContain("<- limits");
        assertThat(json(summary)).contains("\"bottleneck\":null");
    }

    /** Regression: the table gave 13 % for a stage, and the sentence below it 33 %. */
    @ParameterizedTest
    @ValueSource(doubles = {0.52, 0.66, 0.7, 0.93})
    void table_json_andSentence_haveTheSameShares(double share) {
        FusedFinding finding = FusedFinding.of(share);
        PipeSummary summary = summary(true, null, finding.limiter(), CONSUMER, finding.stages());
        long percent = Math.round(100 * share);
        assertThat(finding.limiter().sentence()).startsWith("parse has " + percent + " % of the time of its thread");
        assertThat(summary.text().lines().filter(line -> line.contains("<- limits")))
                .singleElement()
                .asString()
                .contains(" " + percent + "%");
        assertThat(json(summary))
                .contains(
                        "{\"name\":\"parse\",\"parallelism\":1,\"in\":6000,\"out\":6000,\"busy_share\":" + share + ",");
    }

    /** Regression: the summary only said that the pipeline's resources were still being closed. */
    @Test
    void stopThatCouldNotDrain_saysSinceWhenNobodyAnswers_andWhereTheNextRunBegins() {
        PipeSummary summary =
                summary(false, Instant.parse("2026-03-01T03:00:07.5Z"), limiter(Kind.SOURCE_BROKER, "consume"));
        String said = "not drained: no broker answers since 2026-03-01T03:00:07Z; the next run begins at in-0@40, in-1"
                + " where this run began";
        assertThat(summary.text()).contains(said);
        assertThat(json(summary))
                .contains("\"error\":\"" + said)
                .contains("\"next_run\":[{\"topic\":\"in\",\"partition\":0,\"offset\":40},"
                        + "{\"topic\":\"in\",\"partition\":1,\"offset\":null}]");
    }

    @Test
    void droppedAndSkippedRecords_areNamed_andTheLastSentenceLeavesThemOut() {
        ConsumerSnapshot consumer = CONSUMER.with(
                List.of(RecordRange.of("in", 0, 40, 45, 4, "out-of-range"), RecordRange.of("in", 1, 7, 8, 1, "lost")),
                List.of(RecordRange.of("in", 0, 45, 90, 45, "out-of-range")),
                0);
        PipeSummary summary = summary(true, null, limiter(Kind.COMMIT, "commit"), consumer);
        assertThat(summary.text())
                .contains("drained: everything read is written and committed, but for these records")
                .contains("dropped: in-0 from offset 40 to 44, 4 records read, out-of-range, lost")
                .contains("dropped: in-1 from offset 7 to 7, 1 records read, lost, read again")
                .contains("skipped: in-0 from offset 45 to 89, 45 offsets never read, out-of-range, lost");
        assertThat(json(summary))
                .contains("\"records_dropped\":[{\"topic\":\"in\",\"partition\":0,\"from\":40,\"to\":45,\"count\":4,"
                        + "\"reason\":\"out-of-range\"}")
                .contains("\"records_skipped\":[{\"topic\":\"in\",\"partition\":0,\"from\":45,\"to\":90")
                .contains("\"records_left_undone\":0");
    }

    @Test
    void lostRecordsOfAFailure_areNamed_andNoOthers() {
        ConsumerSnapshot again = CONSUMER.with(List.of(RecordRange.of("in", 1, 7, 8, 1, "revoked")), List.of(), 3);
        assertThat(DroppedText.lost(again, false)).isEmpty();
        assertThat(DroppedText.lost(again, true))
                .isEqualTo("What was not committed is read again at the next start, as far as the log still has it.");
        ConsumerSnapshot gone = CONSUMER.with(List.of(RecordRange.of("in", 1, 7, 9, 2, "recreated")), List.of(), 0);
        assertThat(DroppedText.lost(gone, false)).startsWith("Lost: in-1 from offset 7 to 8. What was not committed");
    }
}
