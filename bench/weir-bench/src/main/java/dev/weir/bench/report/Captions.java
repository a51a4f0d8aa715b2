package dev.weir.bench.report;

import dev.weir.bench.result.Phase;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Describes each phase of a run in one sentence. Stateless. */
final class Captions {
    /** Smallest ratio of handled to sent records at which a driver keeps up. */
    private static final double KEEPS_UP = 0.98;

    /** Smallest lag that is mentioned, in seconds of the planned load. */
    private static final double LAG_SECONDS = 0.5;

    private Captions() {}

    static List<String> of(List<Phase> phases) {
        List<String> captions = new ArrayList<>();
        long lagBefore = 0;
        for (Phase phase : phases) {
            captions.add(of(phase, lagBefore));
            lagBefore = phase.lagRecords();
        }
        return captions;
    }

    private static String of(Phase phase, long lagBefore) {
        double seconds = (phase.toMillis() - phase.fromMillis()) / 1e3;
        if (!(seconds > 0) || Double.isNaN(phase.recordsPerSecond())) {
            return "too short to measure";
        }
        // The counts and the rate cover the same whole seconds, unlike the length of the phase.
        double sentPerSecond = phase.records() == 0
                ? phase.sent() / seconds
                : phase.recordsPerSecond() * phase.sent() / phase.records();
        if (phase.producerRate() == 0) {
            return lagBefore == 0 && phase.lagRecords() == 0
                    ? "nothing is sent, and nothing was left"
                    : String.format(
                            Locale.ROOT,
                            "nothing is sent: the lag goes from %,d to %,d records",
                            lagBefore,
                            phase.lagRecords());
        }
        boolean hasLag = phase.lagRecords() > LAG_SECONDS * phase.producerRate();
        boolean grows = phase.lagRecords() > lagBefore && hasLag;
        double share = phase.recordsPerSecond() / Math.max(1, sentPerSecond);
        if (grows && share < KEEPS_UP) {
            return String.format(
                    Locale.ROOT,
                    "falls behind: of %,.0f records a second, %,.0f are handled, %.0f %%; the lag at the end is %,d",
                    sentPerSecond,
                    phase.recordsPerSecond(),
                    100 * share,
                    phase.lagRecords());
        }
        if (hasLag && phase.lagRecords() < lagBefore) {
            return String.format(
                    Locale.ROOT,
                    "catches up: from %,d records behind to %,d, at %,.0f a second",
                    lagBefore,
                    phase.lagRecords(),
                    phase.recordsPerSecond());
        }
        String late = Double.isNaN(phase.p99Millis())
                ? ""
                : String.format(Locale.ROOT, ", 99 in 100 of them within %s ms", Figures.of(phase.p99Millis()));
        return hasLag
                ? String.format(
                        Locale.ROOT,
                        "keeps a steady lag: %,.0f a second are handled, %,d records are waiting%s",
                        phase.recordsPerSecond(),
                        phase.lagRecords(),
                        late)
                : String.format(Locale.ROOT, "keeps up with %,.0f records a second%s", sentPerSecond, late);
    }
}
