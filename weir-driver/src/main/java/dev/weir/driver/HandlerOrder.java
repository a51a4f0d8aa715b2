package dev.weir.driver;

import java.util.Locale;
import java.util.Map;

/** The order in which records are worked on. */
public enum HandlerOrder {
    /** Keeps the order of each partition. */
    PARTITION,
    /** Keeps the order of each key. */
    KEY,
    /** None. */
    NONE;

    /**
     * The one that these options ask for by {@link PassOptions#ORDERING}.
     *
     * @throws IllegalArgumentException if they ask for one that there is not
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
