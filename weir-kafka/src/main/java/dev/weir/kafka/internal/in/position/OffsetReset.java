package dev.weir.kafka.internal.in.position;

import dev.weir.kafka.Position;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.jspecify.annotations.Nullable;

/** Interprets the client's {@code auto.offset.reset} setting, which Weir applies itself. Stateless. */
public final class OffsetReset {

    private static final String BY_DURATION = "by_duration:";

    private OffsetReset() {}

    /** Throws if the value is invalid. */
    public static void check(Map<String, String> properties) {
        @Nullable Position ignored = position(properties);
    }

    /**
     * Returns the position that the setting specifies, relative to the current time for a duration; null for
     * {@code none}.
     */
    public static @Nullable Position position(Map<String, String> properties) {
        String value = properties
                .getOrDefault(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest")
                .strip();
        String lower = value.toLowerCase(Locale.ROOT);
        if (lower.startsWith(BY_DURATION)) {
            try {
                Duration ago = Duration.parse(value.substring(BY_DURATION.length()));
                if (ago.isNegative()) {
                    throw unknown(value);
                }
                return Position.time(past(ago));
            } catch (DateTimeParseException refused) {
                throw unknown(value);
            }
        }
        return switch (lower) {
            case "earliest" -> Position.beginning();
            case "latest" -> Position.end();
            case "none" -> null;
            default -> throw unknown(value);
        };
    }

    /** Returns the current time minus {@code ago}, but no time before the Unix epoch. */
    private static Instant past(Duration ago) {
        Instant now = Instant.now();
        return ago.compareTo(Duration.between(Instant.EPOCH, now)) < 0 ? now.minus(ago) : Instant.EPOCH;
    }

    private static IllegalArgumentException unknown(String value) {
        return new IllegalArgumentException("auto.offset.reset must be earliest, latest, none or, for instance,"
                + " by_duration:PT1H: auto.offset.reset=" + value);
    }
}
