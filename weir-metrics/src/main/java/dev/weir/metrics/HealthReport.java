package dev.weir.metrics;

import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.ConsumerHealth;
import dev.weir.kafka.ShareHandle;
import dev.weir.stream.RunningPipeline;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * The combined health of pipelines. Every pipeline must be healthy. Immutable.
 *
 * @param live whether all pipelines are running and the threads of their consumers are alive, regardless of lag
 * @param ready whether there is a pipeline, and all consumers and share group members have started: consumers know
 *     their positions, and members have been assigned partitions
 * @param progressing whether each pipeline is finishing records or has no records
 * @param reason the reason for a false value, or an empty string
 */
record HealthReport(boolean live, boolean ready, boolean progressing, String reason) {

    /** Reads the current health of the consumers. Does not block. */
    static HealthReport of(List<RunningPipeline> pipelines) {
        if (pipelines.isEmpty()) {
            return new HealthReport(true, false, true, "no pipeline yet");
        }
        boolean live = true;
        boolean ready = true;
        boolean progressing = true;
        List<String> reasons = new ArrayList<>();
        for (RunningPipeline pipeline : pipelines) {
            if (pipeline.hasEnded()) {
                live = false;
                ready = false;
                reasons.add(pipeline.name()
                        + (pipeline.completion().isCompletedExceptionally() ? " has failed" : " has ended"));
                continue;
            }
            for (ConsumerHealth health : consumers(pipeline)) {
                live &= health.live();
                ready &= health.ready();
                progressing &= health.progressing();
                if (!health.reason().isEmpty()) {
                    reasons.add(pipeline.name() + ": " + health.reason());
                }
            }
        }
        return new HealthReport(live, ready, progressing, String.join("; ", reasons));
    }

    private static List<ConsumerHealth> consumers(RunningPipeline pipeline) {
        return Stream.concat(
                        pipeline.handles(ConsumerHandle.class).stream().map(ConsumerHandle::health),
                        pipeline.handles(ShareHandle.class).stream().map(ShareHandle::health))
                .toList();
    }

    String json() {
        return "{\"live\":" + live + ",\"ready\":" + ready + ",\"progressing\":" + progressing + ",\"reason\":"
                + quoted(reason) + "}\n";
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        text.chars().forEach(c -> {
            if (c == '"' || c == '\\') {
                quoted.append('\\').append((char) c);
            } else if (c < ' ' || Character.isSurrogate((char) c)) {
                quoted.append(String.format(Locale.ROOT, "\\u%04x", c));
            } else {
                quoted.append((char) c);
            }
        });
        return quoted.append('"').toString();
    }
}
