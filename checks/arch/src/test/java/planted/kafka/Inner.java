package planted.kafka;

import planted.kafka.internal.Hidden;

/** Innocent: its own module's internal type, out of sight of users. */
public final class Inner {
    private final Hidden hidden = new Hidden();

    Hidden hidden() {
        return hidden;
    }
}
