package dev.weir.checks.integration.plants;

import java.util.Random;

/** The moment at which a trial asks for the limiter. */
enum Moment {
    /** Within the first three seconds. */
    START,
    STEADY,
    /** While a drain finishes the elements that were already pulled. */
    DRAIN,
    /** After the end, in the summary. */
    END;

    /** Draws a moment. Half of the trials read the limiter in the middle of a run. */
    static Moment draw(Random random) {
        return switch (random.nextInt(8)) {
            case 0, 1 -> START;
            case 2 -> DRAIN;
            case 3 -> END;
            default -> STEADY;
        };
    }
}
