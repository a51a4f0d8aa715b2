package dev.weir.checks.integration.plants;

import java.util.Random;

/** The moment at which a trial reads the limiter. */
enum Moment {
    /** Within the first three seconds of a run. */
    START,
    STEADY,
    /** While a drain finishes the elements that were already pulled. */
    DRAIN,
    /** After the run, from the summary. */
    END;

    /** Draws a moment. In half of the trials, it is in the middle of a run. */
    static Moment draw(Random random) {
        return switch (random.nextInt(8)) {
            case 0, 1 -> START;
            case 2 -> DRAIN;
            case 3 -> END;
            default -> STEADY;
        };
    }
}
