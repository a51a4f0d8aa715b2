package dev.weir.cli.pipe;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.kafka.ShareHandle;
import java.io.IOException;
import java.util.Locale;

/**
 * The summary of a pipe over a share group, for people and for programs. Immutable.
 *
 * @param member the member's last state
 * @param workers number of workers at the end
 */
record ShareSummary(ShareHandle.Snapshot member, int workers, HandlerTimes times) {

    void write(JsonGenerator line) throws IOException {
        line.writeObjectFieldStart("share");
        writeCounts(line, member);
        line.writeNumberField("workers", workers);
        if (times.isEmpty()) {
            line.writeNullField("handler_mean_ms");
            line.writeNullField("ceiling_per_second");
            line.writeNullField("efficiency");
            line.writeNullField("seconds_to_98");
        } else {
            line.writeNumberField("handler_mean_ms", rounded(times.meanMillis()));
            line.writeNumberField("ceiling_per_second", Math.round(times.ceilingPerSecond(workers)));
            line.writeNumberField("efficiency", rounded(times.efficiency(workers)));
            int seconds = times.secondsToSpeed(workers);
            if (seconds < 0) {
                line.writeNullField("seconds_to_98");
            } else {
                line.writeNumberField("seconds_to_98", seconds);
            }
        }
        line.writeEndObject();
    }

    /** Writes the counts of a member, which may still be running. */
    static void writeCounts(JsonGenerator line, ShareHandle.Snapshot member) throws IOException {
        line.writeNumberField("accepted", member.accepted());
        line.writeNumberField("released", member.released());
        line.writeNumberField("rejected", member.rejected());
        line.writeNumberField("renewed", member.renewed());
        line.writeNumberField("redelivered", member.redelivered());
        line.writeNumberField("lock_expired", member.lockExpired());
        line.writeNumberField("failed_acknowledgements", member.failedAcknowledgements());
        line.writeNumberField("never_begun", member.neverBegun());
        line.writeNumberField("last_attempt_letters", member.parked());
        line.writeNumberField("emptied_answers", member.emptiedAnswers());
        line.writeNumberField("lanes", member.lanes());
        line.writeStringField("acquire_mode", member.acquireMode());
    }

    private static double rounded(double value) {
        return Math.round(value * 1000) / 1000.0;
    }

    String text() {
        return String.format(
                Locale.ROOT,
                "share group: %,d accepted, %,d released, %,d rejected, %,d redelivered, %,d renewed, %,d never begun%n"
                        + "  %s up to %,d records%s (%s)",
                member.accepted(),
                member.released(),
                member.rejected(),
                member.redelivered(),
                member.renewed(),
                member.neverBegun(),
                member.lanes() == 1
                        ? "1 member of the group acquires"
                        : member.lanes() + " members of the group acquire",
                member.pollRecords(),
                member.lanes() == 1 ? "" : " each",
                member.acquireMode());
    }
}
