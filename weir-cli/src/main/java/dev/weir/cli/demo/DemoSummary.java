package dev.weir.cli.demo;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.cli.pipeline.LimiterFields;
import dev.weir.cli.pipeline.RangeFields;
import dev.weir.cli.pipeline.StageFields;
import dev.weir.command.terminal.ExitCode;
import dev.weir.examples.asimov.OutputLedger;
import dev.weir.kafka.ConsumerSnapshot.RecordRange;
import dev.weir.metrics.Limiter;
import dev.weir.metrics.StageTime;
import java.io.IOException;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * The result of a demo, read back from its topics. Immutable by convention: nothing writes to the histogram.
 *
 * @param latencyMillis times from the actual or planned creation of an event until the broker wrote its output
 * @param elapsedMillis time from the creation of the first event until the broker wrote the last output
 * @param limiter the limiter that applied for most of the run, with the stages' times from the same measurement
 * @param dropped records that were read but not finished, because their partition was revoked
 */
record DemoSummary(
        DemoPlan plan,
        OutputLedger.Summary books,
        Histogram latencyMillis,
        long elapsedMillis,
        Limiter limiter,
        List<RecordRange> dropped) {

    /** The name of the guarantee, as in {@code weir pipe}. */
    private static final String GUARANTEE = "at-least-once";

    int exitCode() {
        return books.flawless() ? ExitCode.DONE : ExitCode.FAILED;
    }

    long recordsPerSecond() {
        return Math.round((books.recordsOut() + books.deadLettered()) * 1000.0 / Math.max(1, elapsedMillis));
    }

    void writeTo(JsonGenerator json) throws IOException {
        json.writeStringField("guarantee", GUARANTEE);
        json.writeNumberField("records_in", books.recordsIn());
        json.writeNumberField("records_out", books.recordsOut());
        json.writeNumberField("dead_lettered", books.deadLettered());
        json.writeNumberField("lost", books.lost());
        json.writeNumberField("duplicates", books.duplicates());
        json.writeNumberField("out_of_order", books.outOfOrder());
        json.writeNumberField("misplaced", books.misplaced());
        json.writeNumberField("foreign", books.foreign());
        RangeFields.write(json, "records_dropped", dropped);
        json.writeNumberField("elapsed_ms", elapsedMillis);
        json.writeNumberField("records_per_second", recordsPerSecond());
        json.writeObjectFieldStart("latency_ms");
        json.writeStringField("measured_from", plan.isPaced() ? "planned" : "created");
        json.writeNumberField("p50", latencyMillis.getValueAtPercentile(50));
        json.writeNumberField("p99", latencyMillis.getValueAtPercentile(99));
        json.writeNumberField("max", latencyMillis.getMaxValue());
        json.writeEndObject();
        json.writeArrayFieldStart("stages");
        for (StageTime stage : limiter.stages()) {
            json.writeStartObject();
            json.writeStringField("name", stage.stage());
            json.writeNumberField("threads", stage.threads());
            StageFields.writeShares(json, stage);
            json.writeEndObject();
        }
        json.writeEndArray();
        LimiterFields.write(json, limiter);
        boolean isStage = limiter.kind().isLimit() && limiter.stage(limiter.name()) != null;
        json.writeStringField("bottleneck", isStage ? limiter.name() : null);
        json.writeNumberField("seed", plan.seed());
        if (exitCode() != ExitCode.DONE) {
            json.writeStringField("error", DemoReport.verdict(books));
        }
    }
}
