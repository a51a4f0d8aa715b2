package dev.weir.metrics;

import dev.weir.metrics.Limiter.Kind;
import dev.weir.metrics.PipelineLook.PaceLook;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Measures the gain from followed advice: the rate of the first stage after a setting was raised, divided by the rate
 * before. Confined to one thread at a time.
 *
 * <pre>
 *   looks  | before ......... | raised | settling .. | after ........ | gain = after / before
 * </pre>
 */
final class Gains {

    /** Time between a change and the measurement, in which queues from before the change drain. */
    private static final long SETTLING_NANOS = Duration.ofSeconds(1).toNanos();

    private static final long AFTER_NANOS = Duration.ofSeconds(2).toNanos();

    private double rateBefore;

    /** The settings in the previous reading; empty before the second reading. */
    private Map<String, Double> last = Map.of();

    private @Nullable PipelineLook raised;
    private @Nullable PipelineLook settled;
    private @Nullable Double measured;

    /** Returns the gain measured after the last followed advice; null if there is none yet. */
    @Nullable
    Double measured() {
        return measured;
    }

    /**
     * Processes the next reading.
     *
     * @param before the earlier readings, at least one
     */
    void look(List<PipelineLook> before, PipelineLook now) {
        Map<String, Double> settingsBefore = last.isEmpty() ? settings(before.getLast()) : last;
        Map<String, Double> settings = settings(now);
        last = settings;
        if (!settings.equals(settingsBefore)) {
            change(before, now, settingsBefore, settings);
        } else if (raised != null && now.atNanos() - raised.atNanos() >= SETTLING_NANOS) {
            measure(now);
        }
    }

    private void change(
            List<PipelineLook> before,
            PipelineLook now,
            Map<String, Double> settingsBefore,
            Map<String, Double> settings) {
        // Cancel a measurement in progress: the effects of the changes would mix.
        raised = null;
        settled = null;
        if (before.size() < 2) {
            return;
        }
        Limiter limiter = LimiterFinder.find(before);
        boolean followed = keys(limiter).stream()
                .anyMatch(key ->
                        settingsBefore.containsKey(key) && settings.getOrDefault(key, 0.0) > settingsBefore.get(key));
        double rate = rate(before.getFirst(), before.getLast());
        if (followed && rate > 0) {
            rateBefore = rate;
            raised = now;
            measured = null;
        }
    }

    private void measure(PipelineLook now) {
        if (settled == null) {
            settled = now;
        } else if (now.atNanos() - settled.atNanos() >= AFTER_NANOS) {
            double gain = rate(settled, now) / rateBefore;
            // Draining a queue is only a temporary gain. Count only the rate that the source can sustain.
            double lasts = Math.min(1, Interval.of(List.of(settled, now)).lasts());
            measured = gain <= 1 ? gain : Math.max(1, gain * lasts);
            raised = null;
            settled = null;
        }
    }

    private static double rate(PipelineLook first, PipelineLook last) {
        if (first.stages().isEmpty() || last.stages().isEmpty()) {
            return 0;
        }
        long out = last.stages().getFirst().elementsOut()
                - first.stages().getFirst().elementsOut();
        return out * 1e9 / Math.max(1, last.atNanos() - first.atNanos());
    }

    /** Returns the keys of the settings that would raise the limit. */
    private static List<String> keys(Limiter limiter) {
        return limiter.kind() == Kind.DISPATCHER
                ? List.of("dispatcher " + limiter.name())
                : List.of("stage " + limiter.name(), "rate " + limiter.name());
    }

    /** Returns the settings that users can change in a running pipeline. */
    private static Map<String, Double> settings(PipelineLook look) {
        Map<String, Double> settings = new HashMap<>();
        look.stages().forEach(stage -> settings.put("stage " + stage.name(), (double) stage.parallelism()));
        look.activity()
                .forEach(each -> settings.put("dispatcher " + each.dispatcher().name(), (double)
                        each.dispatcher().size()));
        for (PaceLook pace : look.paces()) {
            settings.put("rate " + pace.stage(), pace.perSecond() == 0 ? Double.MAX_VALUE : pace.perSecond());
        }
        return settings;
    }
}
