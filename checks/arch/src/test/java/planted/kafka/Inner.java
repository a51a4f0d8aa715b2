package planted.kafka;

import planted.kafka.internal.Hidden;

/** A correct class: it uses an internal type of its own module, out of sight of users. */
public final class Inner {
    private final Hidden hidden = new Hidden();

    Hidden hidden() {
        return hidden;
    }
}
