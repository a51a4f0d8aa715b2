package dev.weir.driver;

import java.util.Locale;
import java.util.Map;

/**
 * A fault in the network of a group member. It is sent in the options of a {@link Command.Change} to the process that
 * simulates the member's network. Immutable.
 *
 * @param delayNanos delay of each message; 0 except for {@link Kind#DELAY}
 */
public record NetworkFault(Kind kind, long delayNanos) {
    /** Everything is forwarded. */
    public static final NetworkFault NONE = new NetworkFault(Kind.NONE, 0);

    /** Connections are reset, including new ones. */
    public static final NetworkFault CUT = new NetworkFault(Kind.CUT, 0);

    /** Connections stay open, but nothing passes. */
    public static final NetworkFault SILENCE = new NetworkFault(Kind.SILENCE, 0);

    private static final String KIND = "network.fault";
    private static final String DELAY = "network.delay.nanos";

    /** The kind of the fault. */
    public enum Kind {
        /** The network has no fault from now on. */
        NONE,
        /** The network resets all connections. */
        CUT,
        /** The network forwards nothing, but connections stay open. */
        SILENCE,
        /** The network delays each message. */
        DELAY
    }

    /** Returns a fault that delays each message by this time. */
    public static NetworkFault delay(long nanos) {
        return new NetworkFault(Kind.DELAY, nanos);
    }

    /** Returns the options that describe this fault. {@link #of} converts them back. */
    public Map<String, String> options() {
        return Map.of(KIND, kind.name().toLowerCase(Locale.ROOT), DELAY, Long.toString(delayNanos));
    }

    /**
     * Returns the fault described by {@code options}.
     *
     * @throws IllegalArgumentException if the options describe no fault
     */
    public static NetworkFault of(Map<String, String> options) {
        String kind = options.get(KIND);
        if (kind == null) {
            throw new IllegalArgumentException("a network takes faults, and not " + options.keySet());
        }
        return new NetworkFault(
                Kind.valueOf(kind.toUpperCase(Locale.ROOT)), Long.parseLong(options.getOrDefault(DELAY, "0")));
    }
}
