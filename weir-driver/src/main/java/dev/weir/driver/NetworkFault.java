package dev.weir.driver;

import java.util.Locale;
import java.util.Map;

/**
 * A fault of the network of a member of a group, as the options of a {@link Command.Change} to the process that is that
 * network. Immutable.
 *
 * @param delayNanos how much later each message comes; 0 but for {@link Kind#DELAY}
 */
public record NetworkFault(Kind kind, long delayNanos) {
    /** Everything is passed on. */
    public static final NetworkFault NONE = new NetworkFault(Kind.NONE, 0);

    /** Connections are reset, and each new one. */
    public static final NetworkFault CUT = new NetworkFault(Kind.CUT, 0);

    /** Connections stay, and nothing passes. */
    public static final NetworkFault SILENCE = new NetworkFault(Kind.SILENCE, 0);

    private static final String KIND = "network.fault";
    private static final String DELAY = "network.delay.nanos";

    /** The kind of the fault. */
    public enum Kind {
        /** Nothing, from now on. */
        NONE,
        /** It is cut. */
        CUT,
        /** It is silent. */
        SILENCE,
        /** It is slow. */
        DELAY
    }

    /** Each message comes so much later. */
    public static NetworkFault delay(long nanos) {
        return new NetworkFault(Kind.DELAY, nanos);
    }

    /** As {@link #of} reads it. */
    public Map<String, String> options() {
        return Map.of(KIND, kind.name().toLowerCase(Locale.ROOT), DELAY, Long.toString(delayNanos));
    }

    /**
     * The fault of these options.
     *
     * @throws IllegalArgumentException if they hold none
     */
    public static NetworkFault of(Map<String, String> options) {
        String kind = options.get(KIND);
        if (kind == null) {
            throw new IllegalArgumentException("a network is told what befalls it, and not " + options.keySet());
        }
        return new NetworkFault(
                Kind.valueOf(kind.toUpperCase(Locale.ROOT)), Long.parseLong(options.getOrDefault(DELAY, "0")));
    }
}
