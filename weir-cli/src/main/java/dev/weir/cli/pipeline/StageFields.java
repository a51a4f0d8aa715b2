package dev.weir.cli.pipeline;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.metrics.StageTime;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Adds the shares of a stage's time to summaries for programs. */
public final class StageFields {

    private StageFields() {}

    /**
     * Writes a stage's shares of time into its object, in the form that all commands use.
     *
     * @param time the shares from the limiter's measurement; null to write nothing
     */
    public static void writeShares(JsonGenerator json, @Nullable StageTime time) throws IOException {
        if (time == null) {
            return;
        }
        json.writeNumberField("busy_share", rounded(time.working()));
        json.writeNumberField("blocked_up_share", rounded(time.starved()));
        json.writeNumberField("blocked_down_share", rounded(time.blocked()));
        json.writeObjectFieldStart("shares");
        for (Map.Entry<String, Double> share : time.shares().entrySet()) {
            json.writeNumberField(share.getKey(), rounded(share.getValue()));
        }
        json.writeEndObject();
    }

    private static double rounded(double share) {
        return Math.round(share * 1000) / 1000.0;
    }
}
