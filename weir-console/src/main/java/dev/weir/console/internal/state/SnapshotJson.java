package dev.weir.console.internal.state;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.console.ConsumerState;
import dev.weir.console.internal.control.Controls;
import dev.weir.console.internal.control.Controls.Knob;
import dev.weir.console.internal.state.Look.StageLook;
import dev.weir.kafka.ConsumerDump;
import dev.weir.kafka.ConsumerHealth;
import dev.weir.metrics.Limiter;
import dev.weir.stream.DispatcherSnapshot;
import dev.weir.stream.StageSnapshot;
import dev.weir.stream.control.ThreadActivity;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes a reading as JSON: all of it for {@code /api/state}, or without partitions and controls for the history.
 * Stateless.
 */
final class SnapshotJson {

    private SnapshotJson() {}

    static String full(Look look, Controls controls, ThreadTable threads, @Nullable Progress progress) {
        return Json.object(json -> {
            ConsumerDump consumer = look.consumer();
            ConsumerHealth health = look.health();
            if (consumer != null && health != null) {
                ConsumerState.write(json, consumer, health);
            } else {
                json.writeStringField("at", look.at().toString());
                json.writeStringField("state", look.state());
            }
            writePipeline(json, look, threads);
            json.writeArrayFieldStart("writes");
            for (String topic : look.writes()) {
                json.writeString(topic);
            }
            json.writeEndArray();
            json.writeArrayFieldStart("controls");
            for (Knob knob : controls.knobs()) {
                json.writeStartObject();
                json.writeStringField("key", knob.key());
                json.writeFieldName("value");
                Json.writeValue(json, knob.value());
                if (knob.max() >= 0) {
                    json.writeNumberField("min", knob.min());
                    json.writeNumberField("max", knob.max());
                }
                if (knob.dispatcher() != null) {
                    json.writeStringField("dispatcher", knob.dispatcher());
                }
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeNumberField("changes", controls.timeline().count());
            if (progress != null) {
                progress.write(json);
            }
        });
    }

    static String brief(Look look) {
        return Json.object(json -> {
            ConsumerDump consumer = look.consumer();
            ConsumerHealth health = look.health();
            if (consumer != null && health != null) {
                ConsumerState.writeSummary(json, consumer, health);
                long lag = Look.lagOf(consumer);
                if (lag < 0) {
                    json.writeNullField("lag");
                } else {
                    json.writeNumberField("lag", lag);
                }
            } else {
                json.writeStringField("at", look.at().toString());
                json.writeStringField("state", look.state());
            }
            writePipeline(json, look, null);
        });
    }

    private static void writePipeline(JsonGenerator json, Look look, @Nullable ThreadTable table) throws IOException {
        json.writeNumberField("look", look.number());
        json.writeStringField("pipeline", look.pipeline());
        json.writeBooleanField("running", look.running());
        if (look.step() != null) {
            json.writeStringField("step", look.step());
        }
        json.writeStringField("phase", look.phase());
        json.writeObjectFieldStart("figures");
        json.writeNumberField("seconds", Math.round(look.figures().seconds() * 10) / 10.0);
        if (!Double.isNaN(look.figures().lagFallPerSecond())) {
            json.writeNumberField("lag_fall_per_second", rounded(look.figures().lagFallPerSecond()));
        }
        json.writeEndObject();
        if (look.process() != null) {
            look.process().write(json);
        }
        writeLimiter(json, look.limiter());
        json.writeArrayFieldStart("stages");
        for (StageLook stage : look.stages()) {
            write(json, stage);
        }
        json.writeEndArray();
        json.writeArrayFieldStart("dispatchers");
        for (DispatcherSnapshot each : look.dispatchers()) {
            json.writeStartObject();
            json.writeStringField("name", each.name());
            json.writeStringField("kind", each.kind().name());
            if (each.size() < Integer.MAX_VALUE) {
                json.writeNumberField("size", each.size());
            }
            json.writeNumberField("threads", each.threads());
            json.writeNumberField("active", each.active());
            json.writeNumberField("queued", each.queued());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeArrayFieldStart("threads");
        for (ThreadActivity.Counts each : look.threads()) {
            json.writeStartObject();
            json.writeStringField("dispatcher", each.dispatcher());
            json.writeNumberField("running", each.running());
            json.writeNumberField("parked", each.parked());
            json.writeNumberField("waiting", each.waiting());
            json.writeNumberField("sleeping", each.sleeping());
            json.writeNumberField("blocked", each.blocked());
            json.writeEndObject();
        }
        if (table != null) {
            table.write(json);
        }
        json.writeEndArray();
    }

    private static void writeLimiter(JsonGenerator json, @Nullable Limiter limiter) throws IOException {
        if (limiter == null) {
            json.writeNullField("limiter");
            return;
        }
        json.writeObjectFieldStart("limiter");
        json.writeStringField("kind", limiter.kind().id());
        json.writeStringField("name", limiter.name());
        json.writeStringField("sentence", limiter.sentence());
        json.writeStringField("advice", limiter.advice());
        json.writeNumberField("expected_gain", limiter.expectedGain());
        Double measured = limiter.measuredGain();
        if (measured == null) {
            json.writeNullField("measured_gain");
        } else {
            json.writeNumberField("measured_gain", measured);
        }
        json.writeNumberField("seconds", rounded(limiter.seconds()));
        json.writeStringField("confidence", limiter.confidence().id());
        json.writeArrayFieldStart("candidates");
        for (Limiter candidate : limiter.candidates()) {
            json.writeStartObject();
            json.writeStringField("kind", candidate.kind().id());
            json.writeStringField("name", candidate.name());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static void write(JsonGenerator json, StageLook stage) throws IOException {
        StageSnapshot now = stage.now();
        json.writeStartObject();
        json.writeStringField("name", now.name());
        json.writeNumberField("parallelism", now.parallelism());
        json.writeNumberField("in", now.elementsIn());
        json.writeNumberField("out", now.elementsOut());
        json.writeNumberField("busy_nanos", now.busyNanos());
        json.writeNumberField("in_per_second", rounded(stage.inPerSecond()));
        json.writeNumberField("out_per_second", rounded(stage.outPerSecond()));
        json.writeNumberField("recent_in", stage.recentIn());
        json.writeNumberField("recent_out", stage.recentOut());
        json.writeNumberField("recent_in_per_second", rounded(stage.recentInPerSecond()));
        json.writeNumberField("recent_out_per_second", rounded(stage.recentOutPerSecond()));
        if (!Double.isNaN(stage.nanosPerRecord())) {
            json.writeNumberField("time_per_record_us", rounded(stage.nanosPerRecord() / 1000));
        }
        json.writeNumberField("busy_share", rounded(stage.busy()));
        json.writeNumberField("blocked_up_share", rounded(stage.up()));
        json.writeNumberField("blocked_down_share", rounded(stage.down()));
        if (!stage.account().isEmpty()) {
            json.writeObjectFieldStart("shares");
            for (Map.Entry<String, Double> share : stage.account().entrySet()) {
                json.writeNumberField(share.getKey(), rounded(share.getValue()));
            }
            json.writeEndObject();
        }
        json.writeNumberField("depth", now.depth());
        json.writeEndObject();
    }

    private static double rounded(double value) {
        return Math.round(value * 1000) / 1000.0;
    }
}
