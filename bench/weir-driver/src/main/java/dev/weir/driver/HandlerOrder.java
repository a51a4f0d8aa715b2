package dev.weir.driver;

import java.util.Locale;
import java.util.Map;

/** The order in which records are processed. */
public enum HandlerOrder {
    /** Keeps the order of each partition. */
    PARTITION,
    /** Keeps the order of each key. */
    KEY,
    /** Keeps no order. */
    NONE;

    /**
     * Returns the order in the option {@link PassOptions#ORDERING}, by default {@link #PARTITION}.
     *
     * @throws IllegalArgumentException if the option names no known order
     */
    public static HandlerOrder of(Map<String, String> options) {
        String wanted = options.getOrDefault(PassOptions.ORDERING, "partition");
        for (HandlerOrder order : values()) {
            if (order.name().toLowerCase(Locale.ROOT).equals(wanted)) {
                return order;
            }
        }
        throw new IllegalArgumentException("ordering must be partition, key or none: ordering=" + wanted);
    }
}
