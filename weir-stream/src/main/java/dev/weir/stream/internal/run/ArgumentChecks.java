package dev.weir.stream.internal.run;

import dev.weir.stream.spi.Stage;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;

/** Checks user arguments and converts them for the stages. Stateless. */
public final class ArgumentChecks {

    private static final Duration LONGEST = Duration.ofNanos(Stage.NEVER);

    private ArgumentChecks() {}

    /** Copies a varargs parameter. Refuses null elements. */
    public static <E> List<E> list(String name, E[] elements) {
        return list(name, Arrays.asList(Objects.requireNonNull(elements, name)));
    }

    /** Copies a collection. Refuses null elements. */
    public static <E> List<E> list(String name, Collection<? extends E> elements) {
        for (E element : Objects.requireNonNull(elements, name)) {
            Objects.requireNonNull(element, () -> name + " has a null");
        }
        return List.copyOf(elements);
    }

    public static void atLeastOne(String name, long value) {
        if (value < 1) {
            throw new IllegalArgumentException(name + " must be at least 1: " + name + "=" + value);
        }
    }

    /** Converts a duration to nanoseconds: 0 if it is negative, {@link Stage#NEVER} if it does not fit. */
    public static long nanos(Duration duration) {
        if (duration.isNegative()) {
            return 0;
        }
        return duration.compareTo(LONGEST) < 0 ? duration.toNanos() : Stage.NEVER;
    }

    /** Converts a duration setting to nanoseconds. Refuses zero and negative durations. */
    public static long positiveNanos(String name, Duration duration) {
        if (!Objects.requireNonNull(duration, name).isPositive()) {
            throw new IllegalArgumentException(name + " must be more than 0: " + name + "=" + duration);
        }
        return nanos(duration);
    }
}
