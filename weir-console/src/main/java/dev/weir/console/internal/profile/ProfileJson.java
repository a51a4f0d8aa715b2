package dev.weir.console.internal.profile;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.console.internal.state.Json;
import dev.weir.console.profile.Flame;
import dev.weir.console.profile.Profile;
import dev.weir.console.profile.StageProfile;
import java.io.IOException;

/** Converts a profile into JSON. Stateless. */
public final class ProfileJson {

    private ProfileJson() {}

    /** See {@link Profile#toJson}. */
    public static String text(Profile profile) {
        return Json.object(json -> {
            json.writeNumberField("seconds", rounded(profile.time().toNanos() / 1e9));
            json.writeStringField("sampler", profile.sampler());
            json.writeNumberField("samples", profile.samples());
            json.writeNumberField("lost", profile.lost());
            json.writeNumberField("engine_share", rounded(profile.engineShare()));
            json.writeNumberField("client_share", rounded(profile.clientShare()));
            json.writeNumberField("other_share", rounded(profile.otherShare()));
            json.writeArrayFieldStart("stages");
            for (StageProfile stage : profile.stages()) {
                write(json, stage);
            }
            json.writeEndArray();
            json.writeObjectFieldStart("flames");
            json.writeFieldName("cpu");
            write(json, profile.cpu());
            json.writeFieldName("allocation");
            write(json, profile.allocation());
            json.writeFieldName("blocked");
            write(json, profile.blocked());
            json.writeEndObject();
        });
    }

    private static void write(JsonGenerator json, StageProfile stage) throws IOException {
        json.writeStartObject();
        json.writeStringField("name", stage.name());
        json.writeNumberField("cpu_share", rounded(stage.cpuShare()));
        json.writeArrayFieldStart("top");
        for (StageProfile.Method method : stage.top()) {
            json.writeStartObject();
            json.writeStringField("method", method.method());
            json.writeNumberField("self_share", rounded(method.selfShare()));
            json.writeNumberField("total_share", rounded(method.totalShare()));
            json.writeNumberField("self_ms", method.selfMillis());
            json.writeNumberField("total_ms", method.totalMillis());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeNumberField("allocated_bytes", stage.allocatedBytes());
        json.writeArrayFieldStart("allocation");
        for (StageProfile.Allocation each : stage.allocation()) {
            json.writeStartObject();
            json.writeStringField("class", each.type());
            json.writeNumberField("bytes", each.bytes());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeArrayFieldStart("blocked");
        for (StageProfile.Wait wait : stage.blocked()) {
            json.writeStartObject();
            json.writeStringField("kind", wait.kind());
            json.writeStringField("at", wait.at());
            json.writeNumberField("ms", wait.millis());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    /** Writes a flame graph as the page reads it: {@code n} is the name, {@code v} the value, {@code c} the callees. */
    private static void write(JsonGenerator json, Flame flame) throws IOException {
        json.writeStartObject();
        json.writeStringField("n", flame.name());
        json.writeNumberField("v", flame.value());
        if (!flame.inner().isEmpty()) {
            json.writeArrayFieldStart("c");
            for (Flame each : flame.inner()) {
                write(json, each);
            }
            json.writeEndArray();
        }
        json.writeEndObject();
    }

    private static double rounded(double value) {
        return Math.round(value * 10_000) / 10_000.0;
    }
}
